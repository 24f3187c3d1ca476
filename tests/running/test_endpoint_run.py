"""A run against an endpoint that fails in every way: nothing lost, nothing twice, no key kept."""

from __future__ import annotations

import json
import os
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memorycode.cli.app import make_app
from memorycode.datasets import write_dataset
from memorycode.dialogue import Dialogue
from memorycode.errors import ModelUnavailable
from memorycode.evaluation import evaluate, run_experiment
from memorycode.experiment import make_experiment
from memorycode.reporting.tables import report_text
from memorycode.results.summary import RunReport
from memorycode.running.execution import Execution
from memorycode.running.folder import RunFolder
from tests.commands import run_command
from tests.models.fault_server import (
    KEY,
    LASTING,
    PASSING,
    STALL,
    UNKNOWN_MODEL,
    WRONG_KEY,
    Fault,
    FaultServer,
)
from tests.run_files import all_bytes

HEADERS = {"X-Session": "planted-header-value-77", "X-Api-Key": "planted-header-key-88"}


@pytest.fixture(autouse=True)
def _the_users_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


class Weather:
    """Every ninth request fails, each time in another way, until it clears up."""

    def __init__(self) -> None:
        self.is_fine = False
        self.failed: Counter[str] = Counter()
        self._lock = threading.Lock()

    def __call__(self, number: int) -> Fault | None:
        if self.is_fine or number % 9 != 4:
            return None
        faults = (*PASSING, *LASTING)
        fault = faults[number // 9 % len(faults)]
        # What passes is asked again by the client; a reply that never comes is not.
        if fault not in PASSING or fault is STALL:
            with self._lock:
                self.failed[fault.kind] += 1
        return fault


@pytest.fixture
def weather() -> Weather:
    return Weather()


@pytest.fixture
def server(weather: Weather) -> Iterator[FaultServer]:
    with FaultServer(weather) as server:
        yield server


def _dialogues(dialogue: Dialogue, count: int) -> list[Dialogue]:
    """Alike, but no prompt of one is a prompt of another."""
    first, *rest = dialogue.sessions
    return [
        dialogue.model_copy(
            update={
                "number": number,
                "sessions": (
                    first.model_copy(update={"text": f"{first.text} It is day {number}."}),
                    *rest,
                ),
            }
        )
        for number in range(1, count + 1)
    ]


def _run(
    dialogues: list[Dialogue], url: str, out: Path, *, retry_failed: bool = False
) -> RunReport:
    experiment = make_experiment(
        {
            "strategies": ("full_history",),
            "models": ("openai/tiny",),
            "base_url": url,
            "headers": HEADERS,
            "temperature": 0.5,
            "timeout": 10,
            "dataset": "x",
        }
    )
    return run_experiment(experiment, dialogues, Execution(out=out, retry_failed=retry_failed))


def _answers(folder: Path) -> dict[str, tuple[str, object]]:
    return {record.id: (record.answer, record.verdicts) for record in RunFolder(folder).records()}


def test_hundreds_of_questions_through_every_fault(
    small_dialogue: Dialogue, tmp_path: Path, weather: Weather, server: FaultServer
) -> None:
    """250, so that each fault comes at least once; with ``MEMORYCODE_SLOW=1`` 500."""
    questions = 500 if os.environ.get("MEMORYCODE_SLOW") else 250
    dialogues = _dialogues(small_dialogue, questions // 2)
    stormy = _run(dialogues, server.url, tmp_path / "run")
    (row,) = stormy.rows
    assert row.failed == weather.failed
    assert weather.failed.keys() == {STALL.kind, *(fault.kind for fault in LASTING)}
    failed = weather.failed.total()
    assert (row.questions, row.answered, row.missing) == (questions, questions - failed, 0)
    attempts = list(RunFolder(tmp_path / "run").attempts())
    assert len(attempts) == len({record.id for record in attempts}) == questions
    shown = " ".join(report_text(stormy).split())
    for kind, count in weather.failed.items():
        assert f"{count} {kind}" in shown
    assert KEY not in shown

    weather.is_fine = True
    before = server.requests
    again = _run(dialogues, server.url, tmp_path / "run", retry_failed=True)
    (row,) = again.rows
    assert server.requests - before == 1 + failed  # one to see whether anybody is there
    assert (row.answered, row.failed) == (questions, {})
    assert row.spending.calls == questions + failed
    assert row.spending.failed_calls == dict(sorted(weather.failed.items()))
    _run(dialogues, server.url, tmp_path / "fine")
    assert _answers(tmp_path / "run") == _answers(tmp_path / "fine")

    before = server.requests
    _run(dialogues, server.url, tmp_path / "run", retry_failed=False)
    assert server.requests == before

    kept = all_bytes(tmp_path / "run")
    for planted in (KEY, *HEADERS.values()):
        assert planted.encode() not in kept, planted
    assert b"X-Session" in kept
    assert b'"temperature": 0.5' in kept


def test_what_the_endpoint_counts_is_reported(
    small_dialogue: Dialogue, tmp_path: Path, weather: Weather, server: FaultServer
) -> None:
    weather.is_fine = True
    (row,) = _run(_dialogues(small_dialogue, 3), server.url, tmp_path).rows
    words = [len(prompt.split()) for prompt in server.prompts[1:]]
    assert row.spending.prompt_tokens == sum(words)
    assert row.spending.endpoint_cached_share == sum(n // 2 for n in words) / sum(words)
    assert row.spending.latency_median is not None
    assert row.spending.dollars is None


@pytest.mark.parametrize("fault", [WRONG_KEY, UNKNOWN_MODEL])
def test_what_cannot_be_used_is_told_before_anything_is_asked(
    small_dialogue: Dialogue, tmp_path: Path, fault: Fault
) -> None:
    with FaultServer(lambda _: fault) as server, pytest.raises(ModelUnavailable) as raised:
        _run(_dialogues(small_dialogue, 3), server.url, tmp_path)
    assert server.requests == 1
    assert KEY not in str(raised.value)
    assert list(RunFolder(tmp_path).records()) == []
    assert KEY.encode() not in all_bytes(tmp_path)


def test_options_of_the_command_reach_the_endpoint(
    small_dialogue: Dialogue, tmp_path: Path, weather: Weather, server: FaultServer
) -> None:
    weather.is_fine = True
    write_dataset(_dialogues(small_dialogue, 2), tmp_path / "data")
    out = tmp_path / "run"
    command = [
        *("run", "--dataset", str(tmp_path / "data")),
        *("--model", "openai/tiny", "--base-url", server.url, "--strategy", "no_memory"),
        *("--temperature", "0.7", "--top-p", "0.9", "--max-tokens", "77", "--model-seed", "5"),
        *("--reasoning-effort", "low", "--header", "X-Session=planted-header-value-77"),
        *("--body", '{"top_k": 20}', "--timeout", "30", "--repeats", "2", "--max-calls", "3"),
        *("--out", str(out), "--json", "--no-cache"),
    ]
    done = run_command(*command)
    assert done.returncode == 1
    assert "memorycode: stopped: --max-calls 3 is reached" in done.stderr
    report = json.loads(done.stdout)
    assert report["stopped"].startswith("--max-calls 3")
    row = report["strategies"]["no_memory"]
    assert (row["asked"], row["answered"], row["failed"], row["missing"]) == (3, 3, 0, 5)
    wanted = {
        "temperature": 0.7,
        "top_p": 0.9,
        "max_tokens": 77,
        "seed": 5,
        "reasoning_effort": "low",
        "top_k": 20,
    }
    assert {name: server.asked[-1].get(name) for name in wanted} == wanted
    assert b"planted-header-value" not in all_bytes(out)
    (model,) = RunFolder(out).manifest.settings.models
    assert model.options["headers"] == ["X-Session"]

    goes_on = [*command[: command.index("--max-calls")], "--out", str(out), "--no-cache"]
    done = run_command(*goes_on)
    assert done.returncode == 0, done.stderr
    assert len(list(RunFolder(out).attempts())) == 8
    assert "What was sent" in done.stdout
    assert "No price is known for openai/tiny" in done.stdout


def test_what_newer_models_refuse_can_be_left_out(
    small_dialogue: Dialogue, tmp_path: Path, weather: Weather, server: FaultServer
) -> None:
    """By the command, an experiment's file and from Python; the manifest says so."""
    weather.is_fine = True
    write_dataset([small_dialogue], tmp_path / "data")
    file = tmp_path / "newer.toml"
    file.write_text('max_tokens = "none"\ntemperature = "none"\nmodels = ["openai/tiny"]\n')
    body = {"max_completion_tokens": 64}
    where = ["--dataset", str(tmp_path / "data"), "--base-url", server.url]
    chosen = [
        ["--model", "openai/tiny", "--max-tokens", "none", "--temperature", "none"],
        [str(file)],
    ]
    for number, options in enumerate(chosen):
        command = ["run", *options, *where, "--body", json.dumps(body)]
        command += ["--out", str(tmp_path / f"{number}"), "--json"]
        done = CliRunner().invoke(make_app(), command, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        dry = CliRunner().invoke(make_app(), [*command, "--dry-run"], catch_exceptions=False)
        for one in json.loads(dry.stdout):
            assert one["answer_tokens"] == 64 * one["questions"]
    evaluate(
        [small_dialogue],
        models=["openai/tiny"],
        base_url=server.url,
        max_tokens=None,
        temperature=None,
        body=body,
        out=tmp_path / "python",
    )
    assert server.requests > 0
    for asked in server.asked:
        assert asked.keys() == {"model", "messages", "max_completion_tokens"}
    for folder in ("0", "1", "python"):
        (model,) = RunFolder(tmp_path / folder).manifest.settings.models
        assert (model.options["max_tokens"], model.options["temperature"]) == (None, None)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--max-tokens", "0"], 'max_tokens: want a whole number of 1 or more, or "none"'),
        (["--max-tokens", "few"], "or \"none\", found 'few'"),
        (["--temperature", "nan"], 'temperature: want a number of 0 or more, or "none"'),
        (["--header", "secret-without-a-name"], "--header number 1: want NAME=VALUE"),
        (["--body", "[1]"], "--body: want a JSON object"),
        (["--body", "{"], "--body: not JSON"),
        (["--max-cost", "0"], "max_cost"),
        (["--max-cost", "1"], "nobody knows what openai/tiny costs"),
        (["--prices", "no-such-file.toml"], "cannot be read"),
    ],
)
def test_wrong_options_are_explained(
    small_dialogue: Dialogue, tmp_path: Path, options: list[str], message: str
) -> None:
    write_dataset([small_dialogue], tmp_path / "data")
    command = [
        *("run", "--dataset", str(tmp_path / "data")),
        *("--model", "openai/tiny", "--base-url", "http://127.0.0.1:9/v1"),
        *("--out", str(tmp_path / "run"), *options),
    ]
    done = run_command(*command)
    assert done.returncode == 2
    assert message in done.stderr
    assert "secret-without" not in done.stderr
    assert not (tmp_path / "run").exists()


def test_a_run_takes_no_more_of_a_reply_than_it_is_told(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    with FaultServer(answer=lambda _: "x = 1\n" * 1000) as server:
        write_dataset([small_dialogue], tmp_path / "data")
        done = run_command(
            *("run", "--dataset", tmp_path / "data", "--out", tmp_path / "r"),
            *("--model", "openai/tiny", "--base-url", server.url, "--max-reply-bytes", 5000),
        )

    assert done.returncode == 1
    assert {record.outcome for record in RunFolder(tmp_path / "r").records()} == {"bad_response"}


KEY_LIMIT = Fault(
    "quota",
    403,
    json.dumps({"error": {"message": f"Key limit exceeded (key {KEY})", "code": 403}}),
)


@pytest.mark.parametrize("backend", ["threads", "processes"])
def test_a_quota_used_up_in_mid_run_ends_with_the_table_and_how_to_go_on(
    small_dialogue: Dialogue, tmp_path: Path, backend: str
) -> None:
    spent = threading.Event()
    write_dataset(_dialogues(small_dialogue, 6), tmp_path / "data")
    with FaultServer(lambda n: KEY_LIMIT if spent.is_set() and n > 5 else None) as server:
        command = [
            *("run", "--dataset", str(tmp_path / "data")),
            *("--model", "openai/tiny", "--base-url", server.url, "--strategy", "full_history"),
            *("--out", str(tmp_path / "run"), "--concurrency", "1", "--backend", backend),
        ]
        spent.set()
        done = run_command(*command, timeout=120)
        assert done.returncode == 1
        assert "UNFINISHED: 5 of 12 questions were asked." in done.stdout
        told = " ".join(done.stderr.split())
        assert "quota is used up" in told
        assert "Key limit exceeded (key [key])" in told
        assert "the same command goes on from here" in told
        assert KEY not in done.stdout + done.stderr

        spent.clear()
        done = run_command(*command, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "UNFINISHED" not in done.stdout
    assert {record.outcome for record in RunFolder(tmp_path / "run").records()} == {"answered"}
