"""What threads, processes and Ray take to score three models' recorded outputs on one machine.

Run it as ``python tests/bench/bench_backends.py [EVERY] [WORKERS]``; the environment variable
``MEMORYCODE_RELEASE`` names the folder that holds ``dataset`` and ``outputs``. It replays the
outputs to the questions after the last session, asked without a memory, of every EVERY-th dialogue
(1: all), as ``memorycode run --backend … --concurrency WORKERS`` does. Each backend has a process
of its own and starts from an empty folder. The table has

* start: seconds until the first question is done, of loading, planning and starting workers,
* then: seconds from there to the last question, and how many questions a second that is, and
* driver: CPU milliseconds per question in the process that writes the folder, which no number of
  workers takes away from it.

It ends with an error where the records differ.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, cast

from memorycode.datasets import load_dataset
from memorycode.evaluation import run_experiment
from memorycode.experiment import Experiment
from memorycode.model_options import ModelChoice
from memorycode.running.backends import BACKENDS
from memorycode.running.execution import BackendName, Execution
from memorycode.running.folder import RunFolder
from memorycode.running.runner import NoProgress


def main() -> None:
    named = os.environ.get("MEMORYCODE_RELEASE")
    if not named:
        sys.exit("bench_backends: set MEMORYCODE_RELEASE to the folder with dataset/ and outputs/")
    every, workers, *one = [*sys.argv[1:], *("1", "2")[len(sys.argv) - 1 :]]
    if one:
        name = cast(BackendName, one[0])
        print(json.dumps(measure(Path(named), int(every), int(workers), name)))
        return
    rows = [_in_its_own_process(every, count, name) for name, count in _ways(int(workers))]
    print(f"every {every} dialogues, {rows[0]['questions']:,} questions, {os.cpu_count()} CPUs")
    print("  backend    workers   start s    then s   questions/s   driver ms")
    for row in rows:
        print(
            f"  {row['backend']:10} {row['workers']:7} {row['start']:9.1f} {row['then']:9.1f}"
            f" {row['questions'] / row['then']:13.1f} {1000 * row['cpu'] / row['questions']:11.2f}"
        )
    if len({row["records"] for row in rows}) > 1:
        sys.exit("bench_backends: the records differ")


def _ways(workers: int) -> list[tuple[BackendName, int]]:
    return [("threads", 1), *((name, workers) for name in BACKENDS)]


def _in_its_own_process(every: str, workers: int, backend: str) -> dict[str, Any]:
    command = [sys.executable, __file__, every, str(workers), backend]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    row: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return row


def measure(release: Path, every: int, workers: int, backend: BackendName) -> dict[str, Any]:
    """Seconds of one run, and a hash of its records without what a clock decides."""
    clock = _Clock()
    models = tuple(
        ModelChoice(spec=f"replay/{folder}") for folder in sorted((release / "outputs").iterdir())
    )
    experiment = Experiment(strategies=("no_memory",), models=models, dataset="the release")
    dialogues = load_dataset(release / "dataset")[::every]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        run_experiment(
            experiment,
            dialogues,
            Execution(out=out, backend=backend, concurrency=workers),
            clock,
        )
        found = [r.model_dump_json(exclude={"latency"}) for r in RunFolder(out).attempts()]
    return {
        "backend": backend,
        "workers": workers,
        "questions": len(found),
        "start": clock.first - clock.began,
        "then": clock.last - clock.first,
        "cpu": clock.cpu,
        "records": hashlib.sha256("\n".join(sorted(found)).encode()).hexdigest(),
    }


class _Clock(NoProgress):
    """When the first question and the last were done, and the CPU seconds between them."""

    def __init__(self) -> None:
        self.began = time.perf_counter()
        self.first = self.last = self._cpu_at_first = self.cpu = 0.0

    def advance(self, record: object) -> None:
        self.last = time.perf_counter()
        if not self.first:
            self.first, self._cpu_at_first = self.last, time.process_time()
        self.cpu = time.process_time() - self._cpu_at_first


if __name__ == "__main__":
    main()
