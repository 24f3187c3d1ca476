"""A memory whose own calls fail or cannot be read is told from one that remembers badly: in the
table, on the page, in a comparison and in what machines read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memorycode.cli.app import make_app
from memorycode.dialogue import Dialogue
from memorycode.evaluation import evaluate
from memorycode.reporting.comparison import comparison_text
from memorycode.reporting.html.page import write_page
from memorycode.reporting.tables import report_text
from memorycode.results.compare import compare_runs
from memorycode.results.memory_loss import MOST_LOST, MemoryLoss
from memorycode.results.read import report_run
from memorycode.results.summary import RunReport
from tests.models.fault_server import KEY, LENGTH, QUOTA, FaultServer

RECORDED = Path(__file__).parents[1] / "fixtures" / "runs" / "samples"
PROSE = "I think that all went well today. I shall remember it."
LEDGER, SEARCH = "instruction_ledger:extraction=model", "agentic_search"


@pytest.fixture(autouse=True)
def _the_users_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def _run(dialogue: Dialogue, server: FaultServer, out: Path, *strategies: str) -> RunReport:
    dialogues = [dialogue.model_copy(update={"number": number}) for number in (1, 2)]
    return evaluate(
        dialogues,
        strategies=strategies,
        models=["openai/tiny"],
        base_url=server.url,
        out=out,
        cache=False,
    )


def _other(dialogue: Dialogue) -> Dialogue:
    """No prompt of it is one of the dialogue's, whose answers are at hand."""
    sessions = [s.model_copy(update={"text": f"{s.text} Later."}) for s in dialogue.sessions]
    return dialogue.model_copy(update={"number": 8, "sessions": tuple(sessions)})


def _json(*command: object) -> dict[str, object]:
    done = CliRunner().invoke(make_app(), [*map(str, command), "--json"], catch_exceptions=False)
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_answers_that_no_memory_can_read_are_no_result(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    with FaultServer(answer=lambda _: PROSE) as server:
        report = _run(small_dialogue, server, tmp_path / "run", LEDGER, SEARCH, "rolling_summary")
    ledger, search, summary = report.rows
    assert (ledger.loss.calls, ledger.loss.failed, ledger.loss.unreadable) == (8, 0, 8)
    assert (search.loss.calls, search.loss.unreadable) == (4, 4)
    assert summary.loss == MemoryLoss(calls=8, failed=0, unreadable=0)  # prose is what it wants
    assert report.has_failures

    told = " ".join(report_text(report).split())
    assert "of the memory's own 8 calls 8 had an answer that it could not read" in told
    assert "unranked: listed last" in told
    lines = report_text(report).splitlines()
    first, *others = [n for n, line in enumerate(lines) if line.startswith(" rolling_summary")]
    assert first < min(n for n, line in enumerate(lines) if line.startswith(" instruction_ledger"))
    assert "‡" not in lines[first]
    assert others

    write_page([tmp_path / "run"], tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "‡" in page and "could not read" in page and "unread" in page

    told = " ".join(comparison_text(compare_runs([tmp_path / "run"]), 0).split())
    assert "agentic_search ‡" in told and "unranked: listed last" in told
    (_, pair) = compare_runs([tmp_path / "run"]).pairs
    assert pair.first.memory.unreadable == 8
    assert pair.second.memory.is_ranked
    row = _json("report", tmp_path / "run")["strategies"][LEDGER]  # type: ignore[index]
    loss = {"calls": 8, "failed": 0, "unreadable": 8, "ranked": False}
    assert row["memory_loss"] == loss
    assert row["memory"]["unreadable"] == 8


def test_calls_that_fail_are_counted_without_the_strategys_help(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    """It catches the error and goes on; every answer of the eight sessions was broken off."""
    with FaultServer(lambda n: LENGTH if n > 0 else None) as server:
        report = _run(small_dialogue, server, tmp_path / "run", "rolling_summary")
    (row,) = report.rows
    assert row.loss == MemoryLoss(calls=8, failed=8, unreadable=0)
    assert not row.loss.is_ranked
    assert "8 of the memory's own calls failed (8 truncated)" in " ".join(
        report_text(report).split()
    )


def test_a_memory_is_ranked_up_to_two_in_a_hundred() -> None:
    assert MOST_LOST == 0.02
    assert MemoryLoss(calls=100, failed=1, unreadable=1).is_ranked
    assert not MemoryLoss(calls=100, failed=2, unreadable=1).is_ranked
    assert MemoryLoss().is_ranked
    assert not MemoryLoss(calls=10, failed=1, unreadable=None).is_ranked


def test_what_nobody_counted_is_unknown_and_not_none() -> None:
    report = report_run(RECORDED)
    losses = {row.strategy: row.loss for row in report.rows}
    summary = losses["rolling_summary:limit=400"]
    assert summary.calls > 0
    assert summary.unreadable is None
    assert losses["full_history"].unreadable == 0  # it asked nothing
    (line,) = [
        line
        for line in report_text(report).splitlines()
        if line.lstrip().startswith("rolling_summary:limit=400") and "calls" not in line
    ][:1]
    assert "–" in line


def test_a_strategy_cannot_say_so_of_more_answers_than_it_got(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    with FaultServer(answer=lambda _: PROSE) as server:
        report = _run(small_dialogue, server, tmp_path / "run", "plugins:Complaining")
    (row,) = report.rows
    assert row.loss == MemoryLoss(calls=8, failed=0, unreadable=8)


@pytest.mark.parametrize("backend", ["threads", "processes"])
def test_a_quota_that_ended_a_run_is_no_loss_of_the_memory(
    small_dialogue: Dialogue, tmp_path: Path, backend: str
) -> None:
    """Nobody was asked with what it had by then."""
    spent = True
    with FaultServer(lambda n: QUOTA if spent and n > 8 else None) as server:

        def run() -> RunReport:
            return evaluate(
                [small_dialogue, _other(small_dialogue)],
                strategies=["rolling_summary"],
                models=["openai/tiny"],
                base_url=server.url,
                out=tmp_path,
                concurrency=1,
                backend=backend,
            )

        stopped = run()
        assert "quota is used up" in stopped.stopped
        (row,) = stopped.rows
        assert (row.asked, row.missing, row.failed) == (2, 2, {})
        spent = False
        report = run()
    (row,) = report.rows
    assert (row.missing, row.loss.failed, row.memory.failures) == (0, 0, {"quota": 1})
    assert row.spending.failed_calls == {"quota": 1}
    assert row.loss.is_ranked
    assert not report.has_failures
