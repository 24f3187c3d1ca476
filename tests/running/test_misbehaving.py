"""One plug-in that misbehaves costs its own questions: the run goes on, the others are whole."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memorycode.datasets.release import write_dataset
from memorycode.dialogue import Dialogue
from memorycode.errors import PluginError
from memorycode.evaluation import evaluate
from memorycode.plugin_faults import plugin_faults, said
from memorycode.results.summary import RunReport
from memorycode.running.execution import BackendName
from memorycode.running.folder import RunFolder
from tests.commands import run_command, run_process

RAISED = (
    "cancelled panic mute nameless odd_kind quits closes interrupt memory recursion unavailable"
).split()

REFUSED = (
    "half_value half_key half_nested half_nested_key half_text deep very_deep bytes huge thorny "
    "thorny_notes thorny_in_notes thorny_passage odd_passage odd_session no_tuple"
).split()


def _outcomes(report: RunReport) -> list[tuple[int, dict[str, int]]]:
    """What was answered and what failed, by strategy."""
    return [(row.answered, dict(row.failed)) for row in report.rows]


def _all_fail_beside_whole(report: RunReport, failing: int) -> bool:
    return _outcomes(report) == [(0, {"strategy_error": 2})] * failing + [(2, {})]


@pytest.mark.parametrize("at", ["build", "observe", "recall"])
def test_whatever_a_strategy_raises_is_its_own_failure(
    small_dialogue: Dialogue, tmp_path: Path, at: str
) -> None:
    """Also what is no `Exception`, cannot be put into words, or looks like a Ctrl-C."""
    specs = [f"misbehaving:Raising:what={what},at={at}" for what in RAISED]
    report = evaluate([small_dialogue], strategies=[*specs, "full_history"], out=tmp_path)
    assert _all_fail_beside_whole(report, len(RAISED))
    assert report.stopped == ""
    errors = {r.strategy: r.error for r in RunFolder(tmp_path).records() if r.failed}
    assert "PanicException: called `Option::unwrap()`" in errors[specs[RAISED.index("panic")]]
    assert "(its text cannot be had)" in errors[specs[RAISED.index("mute")]]


def test_whatever_a_strategy_recalls_is_its_own_failure(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    """What was written down can be read again."""
    specs = [f"misbehaving:Returning:what={what}" for what in REFUSED]
    report = evaluate([small_dialogue], strategies=[*specs, "full_history"], out=tmp_path)
    assert _all_fail_beside_whole(report, len(REFUSED))
    errors = {r.strategy: r.error for r in RunFolder(tmp_path).records() if r.failed}
    for what in ("half_value", "half_key", "half_nested", "half_nested_key"):
        assert "the recall's notes hold half a surrogate pair" in errors[specs[REFUSED.index(what)]]
    assert "have more than 100 levels" in errors[specs[REFUSED.index("deep")]]


def test_an_object_that_breaks_at_every_question_is_its_own_failure(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    strategies = ["misbehaving:Unconnected", "misbehaving:Subclassed", "full_history"]
    report = evaluate([small_dialogue], strategies=strategies, out=tmp_path)
    assert _outcomes(report) == [(0, {"strategy_error": 2}), (2, {}), (2, {})]
    error = next(r.error for r in RunFolder(tmp_path).records() if r.failed)
    assert "variant cannot be read: RuntimeError: variant: not connected" in error


@pytest.mark.parametrize("kind", ["RaisingModel", "AnsweringModel", "StandIn"])
def test_whatever_a_model_does_is_a_failure_of_its_own(
    small_dialogue: Dialogue, tmp_path: Path, kind: str
) -> None:
    does = {
        "RaisingModel": [what for what in RAISED if what != "unavailable"],
        "AnsweringModel": ["none", "thorny", "subclass", "no_text", "no_usage", "leaves"],
        "StandIn": ["none", "thorny", "subclass", "no_text", "no_usage", "leaves"],
    }[kind]
    models = [f"misbehaving:{kind}/{what}" for what in does]
    report = evaluate(
        [small_dialogue],
        strategies=["misbehaving:Asking"],
        models=[*models, "ideal-mentee"],
        out=tmp_path,
    )
    assert _outcomes(report) == [(0, {"model_error": 2})] * len(does) + [(2, {})]
    asked = 4 if kind != "StandIn" else 0
    for task in RunFolder(tmp_path).tasks():
        expected = {"model_error": asked} if asked and task.model != "ideal-mentee" else {}
        assert dict(task.memory.failures) == expected


def test_half_a_pair_in_an_answer_is_replaced(small_dialogue: Dialogue, tmp_path: Path) -> None:
    evaluate([small_dialogue], models=["misbehaving:AnsweringModel/half"], out=tmp_path)
    assert {r.answer for r in RunFolder(tmp_path).records()} == {"�"}


def test_a_model_may_break_at_what_it_may_leave_out(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    report = evaluate([small_dialogue], models=["misbehaving:ThornyModel"], out=tmp_path)
    assert [row.answered for row in report.rows] == [2, 2]


def test_a_strategy_that_swallows_the_end_of_the_run_gets_no_record(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    """Its memory lacks what it was not told: the run goes on from there with another."""
    report = evaluate(
        [small_dialogue],
        strategies=["misbehaving:Asking"],
        models=["misbehaving:ThornyModel"],
        max_calls=2,
        out=tmp_path,
    )
    assert "--max-calls 2 is reached" in report.stopped
    assert list(RunFolder(tmp_path).records()) == []


# ── where tasks are played elsewhere ──────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """A Ray cluster of two CPUs."""
    pytest.importorskip("ray", reason="the extra ray is not installed")
    from memorycode.running.backends.ray_cluster import connected

    with connected(None, 2):
        yield


@pytest.mark.parametrize("backend", ["threads", "processes", "ray"])
def test_it_is_the_same_wherever_tasks_are_played(
    small_dialogue: Dialogue,
    tmp_path: Path,
    backend: BackendName,
    request: pytest.FixtureRequest,
) -> None:
    if backend == "ray":
        request.getfixturevalue("cluster")
    specs = [f"misbehaving:Raising:what={what},at=recall" for what in ("interrupt", "cancelled")]
    specs += ["misbehaving:Returning:what=half_value", "misbehaving:Leaving"]
    report = evaluate(
        [small_dialogue],
        strategies=[*specs, "full_history"],
        backend=backend,
        concurrency=2,
        out=tmp_path,
    )
    assert _all_fail_beside_whole(report, len(specs))


# ── the process ───────────────────────────────────────────────────────────────────────────────


def _command(tmp_path: Path, dialogue: Dialogue, *arguments: str) -> list[str]:
    write_dataset([dialogue], tmp_path / "dataset")
    data, out = str(tmp_path / "dataset"), str(tmp_path / "out")
    return ["run", "--dataset", data, "--out", out, *arguments]


def _environment() -> dict[str, str]:
    here = str(Path(__file__).parent)
    return os.environ | {"PYTHONPATH": os.pathsep.join([here, os.environ.get("PYTHONPATH", "")])}


@pytest.mark.parametrize(
    "leaving",
    [f"--strategy=misbehaving:Leaving:by={way}" for way in ("exit", "exec", "system", "end")],
)
def test_a_plugin_that_ends_the_process_ends_no_run(
    small_dialogue: Dialogue, tmp_path: Path, leaving: str
) -> None:
    command = _command(tmp_path, small_dialogue, "--strategy", "full_history", leaving, "--json")
    done = run_command(*command, env=_environment())
    assert done.returncode == 1
    whole, left = json.loads(done.stdout)["strategies"].values()
    assert (whole["answered"], whole["failures"]) == (2, {})
    assert (left["answered"], left["failures"]) == (0, {"strategy_error": 2})


@pytest.mark.parametrize(
    "arguments",
    [
        ("--strategy", "misbehaving:Leaving:at=build"),
        ("--model", "misbehaving:AnsweringModel/leaves"),
        ("--model", "misbehaving:AnsweringModel/quits"),
    ],
)
def test_a_run_that_did_not_finish_never_ends_well(
    small_dialogue: Dialogue, tmp_path: Path, arguments: tuple[str, str]
) -> None:
    done = run_command(*_command(tmp_path, small_dialogue, *arguments), env=_environment())
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_thread_of_a_plugins_own_cannot_end_the_run(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    report = evaluate([small_dialogue], strategies=["misbehaving:Leaving:by=thread"], out=tmp_path)
    assert _outcomes(report) == [(2, {})]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_child_of_a_plugin_ends_as_it_wants_to(small_dialogue: Dialogue, tmp_path: Path) -> None:
    evaluate([small_dialogue], strategies=["misbehaving:Forking"], out=tmp_path)
    context = next(RunFolder(tmp_path).contexts())
    assert "exit status 7" in context.model_dump_json()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_child_that_goes_on_writes_nothing(small_dialogue: Dialogue, tmp_path: Path) -> None:
    report = evaluate([small_dialogue], strategies=["misbehaving:Doubling"], out=tmp_path)
    assert _outcomes(report) == [(2, {})]
    assert len((tmp_path / "asked.jsonl").read_text().splitlines()) == 2


def test_a_plugin_that_goes_to_another_folder_takes_the_run_nowhere(
    small_dialogue: Dialogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    spec = f"misbehaving:Wandering:to={tmp_path / 'there'}"
    report = evaluate([small_dialogue], strategies=[spec], out=Path("run"))
    assert _outcomes(report) == [(2, {})]
    assert Path.cwd() == tmp_path / "here"
    assert not list((tmp_path / "there").iterdir())


def test_what_is_raised_from_no_file_is_a_failure_too(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    specs = ["misbehaving:Unplaced", "full_history"]
    report = evaluate([small_dialogue], strategies=specs, out=tmp_path)
    assert _all_fail_beside_whole(report, 1)


def test_the_process_can_be_ended_again_after_a_run(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    before = (os._exit, os.execv, os.execve, os.abort)
    evaluate([small_dialogue], out=tmp_path)
    assert (os._exit, os.execv, os.execve, os.abort) == before


def test_a_probe_that_quits_is_no_end_of_the_run(small_dialogue: Dialogue, tmp_path: Path) -> None:
    report = evaluate([small_dialogue], models=["misbehaving:QuitsWhenProbed"], out=tmp_path)
    assert [row.answered for row in report.rows] == [2, 2]


@pytest.mark.skipif(sys.platform == "win32", reason="its C library is found otherwise")
@pytest.mark.parametrize("backend", ["threads", "processes"])
def test_what_plugins_print_goes_to_standard_error(
    small_dialogue: Dialogue, tmp_path: Path, backend: str
) -> None:
    """By Python, by the system or by C, here or in a worker, and when all is taken down."""
    arguments = ("--strategy", "misbehaving:Printing", "--backend", backend, "--json")
    done = run_process(*_command(tmp_path, small_dialogue, *arguments), env=_environment())
    assert list(json.loads(done.stdout)["strategies"]) == ["misbehaving:Printing"]
    for way in ("print", "write", "stream", "system", "c"):
        for place in ("built", "observed", "recalled"):
            assert f"NOISE {way} {place}\n" in done.stderr
    assert "NOISE print at the end\n" in done.stderr


def test_a_real_ctrl_c_ends_the_run(small_dialogue: Dialogue, tmp_path: Path) -> None:
    """It is the user's and no plug-in's, though plug-ins are at work."""
    dialogue = small_dialogue
    command = _command(tmp_path, dialogue, "--strategy", "cumulative", "--model")
    process = subprocess.Popen(
        [sys.executable, "-m", "memorycode", *command, "plugins:SlowMentee"],
        env=_environment() | {"MENTEE_DELAY": "3"},
        stderr=subprocess.PIPE,
        text=True,
    )
    log, deadline = tmp_path / "out" / "run.log", time.monotonic() + 120
    while not (log.exists() and log.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=120)
    assert process.returncode == 130
    assert complaint.endswith("memorycode: stopped; the same command goes on from here\n")


def test_a_ctrl_c_is_no_fault_of_a_plugin() -> None:
    """Here, in the main thread, where a Ctrl-C arrives."""
    with pytest.raises(KeyboardInterrupt):
        try:
            raise KeyboardInterrupt
        except plugin_faults():
            pytest.fail("taken for a plug-in's")


def test_where_ctrl_c_is_ignored_it_is_a_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "getsignal", lambda _: signal.SIG_IGN)
    try:
        raise KeyboardInterrupt("by hand")
    except plugin_faults() as error:
        assert said(error) == "by hand"


# ── where nothing is run yet ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "what", ["raise SystemExit(0)", "raise __import__('asyncio').CancelledError"]
)
def test_a_plugin_that_cannot_be_imported_is_named(
    small_dialogue: Dialogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    (tmp_path / "broken_on_import.py").write_text(what + "\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(PluginError, match="broken_on_import:X: cannot be imported: "):
        evaluate([small_dialogue], strategies=["broken_on_import:X"], out=tmp_path / "out")
