"""Threads, processes and Ray give the same records, stop at the same limits, and lose nothing with
a worker that is killed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memorycode.datasets import write_dataset
from memorycode.dialogue import Dialogue
from memorycode.errors import ModelUnavailable, PluginError, UsageError
from memorycode.evaluation import evaluate
from memorycode.running.backends import make_backend
from memorycode.running.execution import BackendName, Limits
from memorycode.running.folder import RunFolder

DISTANT = ["processes", "ray"]


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """One Ray cluster of two CPUs for all tests: a start takes seconds."""
    from memorycode.running.backends.ray_cluster import connected

    with connected(None, 2):
        yield


@pytest.fixture
def backend(request: pytest.FixtureRequest) -> BackendName:
    name: BackendName = request.param
    if name == "ray":
        request.getfixturevalue("cluster")
    return name


@pytest.fixture
def dialogues(small_dialogue: Dialogue) -> list[Dialogue]:
    """With two questions each at the last of four sessions."""
    return [small_dialogue.model_copy(update={"number": n}) for n in range(1, 7)]


def _records(folder: Path) -> list[str]:
    """Each time that a question was asked, without what a clock decides, in order of ids."""
    return sorted(r.model_dump_json(exclude={"latency"}) for r in RunFolder(folder).attempts())


@pytest.mark.parametrize("backend", DISTANT, indirect=True)
def test_the_records_are_those_of_threads_though_a_worker_is_killed(
    dialogues: list[Dialogue], tmp_path: Path, backend: BackendName
) -> None:
    trap = tmp_path / "trap"

    def run(out: str, backend: BackendName) -> list[str]:
        report = evaluate(
            dialogues,
            strategies=["full_history", f"plugins:Dying:file={trap}", "plugins:Writer"],
            models=["ideal-mentee", "plugins:Moody"],
            backend=backend,
            concurrency=2,
            cache=False,
            out=tmp_path / out,
        )
        assert report.stopped == ""
        return _records(tmp_path / out)

    expected = run("threads", "threads")
    trap.touch()
    assert run("killed", backend) == expected
    assert not trap.exists()
    log = (tmp_path / "killed" / "run.log").read_text()
    assert f", {backend} 2\n" in log
    assert "failed server_error" in log
    tasks = [(t.strategy, t.model, t.dialogue) for t in RunFolder(tmp_path / "killed").tasks()]
    assert len(tasks) == len(set(tasks)) == 3 * 2 * 6
    contexts = [context.id for context in RunFolder(tmp_path / "killed").contexts()]
    assert len(contexts) == len(set(contexts))


@pytest.mark.parametrize("backend", DISTANT, indirect=True)
def test_limits_are_exact_and_the_run_goes_on(
    dialogues: list[Dialogue], tmp_path: Path, backend: BackendName
) -> None:
    """The strategy's calls count, and one that could not finish is not asked."""
    prices = tmp_path / "prices.toml"
    prices.write_text("[models.writing]\ninput = 10_000\noutput = 0\n")  # a dollar a call

    def run(limits: Limits, backend: BackendName) -> tuple[str, int, int]:
        report = evaluate(
            dialogues,
            strategies=["plugins:Writer"],
            models=["plugins:Writing"],
            backend=backend,
            concurrency=2,
            cache=False,
            max_calls=limits.max_calls,
            max_cost=limits.max_cost,
            prices=prices,
            out=tmp_path / "run",
        )
        (row,) = report.rows
        return report.stopped, row.spending.calls, row.answered

    stopped, calls, answered = run(Limits(max_calls=15), backend)
    assert "--max-calls 15 is reached" in stopped
    assert calls == 15
    assert answered <= 6
    stopped, calls, _ = run(Limits(max_cost=18), backend)
    assert "--max-cost 18 is reached" in stopped
    # The prompts under way count as long as ours, which are shorter than what the endpoint says.
    assert 18 <= calls <= 19
    assert run(Limits(), "threads")[::2] == ("", 12)


@pytest.mark.parametrize("backend", DISTANT, indirect=True)
def test_what_ends_a_run_is_raised_here(
    dialogues: list[Dialogue], tmp_path: Path, backend: BackendName
) -> None:
    with pytest.raises(ModelUnavailable, match="the endpoint refuses the key") as raised:
        evaluate(dialogues, models=["plugins:Locked"], backend=backend, out=tmp_path, concurrency=1)
    assert raised.value.kind == "wrong_key"
    assert list(RunFolder(tmp_path).records()) == []


def test_ctrl_c_reaches_the_run_and_none_of_its_processes(
    dialogues: list[Dialogue], tmp_path: Path
) -> None:
    write_dataset(dialogues, tmp_path / "dataset")
    out = tmp_path / "out"
    command = [
        *(sys.executable, "-m", "memorycode", "run", "--dataset", str(tmp_path / "dataset")),
        *("--model", "plugins:SlowMentee", "--strategy", "cumulative", "--out", str(out)),
        *("--backend", "processes", "--concurrency", "2"),
    ]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent), "MENTEE_DELAY": "0.1"}
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        command, env=environment, stdout=pipe, stderr=pipe, text=True, start_new_session=True
    )
    records = out / "asked.jsonl"
    deadline = time.monotonic() + 120
    while not (records.exists() and records.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, complaint = process.communicate(timeout=120)
    assert process.returncode == 130
    # A slow machine says how far it is before that.
    assert complaint.endswith("memorycode: stopped; the same command goes on from here\n")
    assert "Traceback" not in complaint
    found = list(RunFolder(out).records())
    assert 0 < len(found) < 36
    assert not any(record.failed for record in found)


def test_an_address_without_ray_is_refused() -> None:
    with pytest.raises(UsageError, match="--ray-address goes with --backend ray, not with threads"):
        make_backend("threads", "10.0.0.1:6379")


def test_an_address_of_rays_client_is_refused() -> None:
    with pytest.raises(UsageError, match="start the run on a machine of the cluster"):
        make_backend("ray", "ray://10.0.0.1:10001")


def test_an_address_where_nobody_listens_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    from memorycode.running.backends.ray_cluster import connected

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"127.0.0.1:{listening.getsockname()[1]}"
    with (
        pytest.raises(UsageError, match=f"no Ray cluster answers at {address}"),
        connected(address, 1),
    ):
        pass


@pytest.mark.parametrize(
    ("kind", "told"), [("ConnectionError", "RAY_AUTH_MODE=token"), ("AuthenticationError", "")]
)
def test_a_cluster_that_turns_one_away_may_want_a_token(
    monkeypatch: pytest.MonkeyPatch, kind: str, told: str
) -> None:
    import ray

    from memorycode.running.backends.ray_cluster import connected

    def refuse(*_: object, **__: object) -> None:
        raise getattr(ray.exceptions, kind, ConnectionError)("turned away")

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", refuse)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        with (
            pytest.raises(UsageError, match=f"turned away.*{told}"),
            connected(address, 1),
        ):
            pass


def test_an_unknown_backend_is_refused() -> None:
    with pytest.raises(UsageError, match="there are threads, processes, ray"):
        make_backend("dask")  # type: ignore[arg-type]


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from memorycode.extras import needed

    needed.cache_clear()
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(PluginError, match=r"pip install 'memorycode\[ray\]'"):
        make_backend("ray")
