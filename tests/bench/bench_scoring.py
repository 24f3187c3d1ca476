"""What scoring costs beside bare parsing, in CPU time, on one model's recorded outputs.

Run it as ``python tests/bench/bench_scoring.py [MODEL] [REPEATS]``; the environment variable
``MEMORYCODE_RELEASE`` names the folder that holds ``dataset`` and ``outputs``. It compares

* parse: `ast.parse` once on each distinct extracted answer, nothing else timed, with
* score: reading the files and `score_outputs`, without importing the package,
* strict: the same with the strict scorer, which may cost twice as much as *score*, and
* command: ``memorycode score`` as a whole, start-up included (where the command exists).

Each measurement has a fresh process, and they take turns. The bar is 2.5 times *parse*.
"""

from __future__ import annotations

import ast
import contextlib
import os
import resource
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

from memorycode.datasets import load_dataset
from memorycode.datasets.outputs import load_outputs
from memorycode.dialogue import Setting
from memorycode.protocols import Scorer
from memorycode.results.recorded_scores import score_outputs
from memorycode.scoring.extraction import extract_code
from memorycode.scoring.official import OfficialScorer
from memorycode.scoring.strict import StrictScorer

BAR = 2.5
STRICT_BAR = 2.0
SETTINGS: tuple[Setting, ...] = ("history", "session", "instruction")


def main() -> None:
    named = os.environ.get("MEMORYCODE_RELEASE")
    if not named:
        sys.exit("bench_scoring: set MEMORYCODE_RELEASE to the folder with dataset/ and outputs/")
    release = Path(named)
    arguments = sys.argv[1:]
    if arguments and arguments[0] in TIMED:
        print(TIMED[arguments[0]](release, arguments[1]))
        return
    folders = [Path(arguments[0])] if arguments else sorted((release / "outputs").iterdir())
    repeats = int(arguments[1]) if len(arguments) > 1 else 5
    for folder in folders:
        report(folder.name, measure(release, folder.name, repeats))


def measure(release: Path, model: str, repeats: int) -> dict[str, list[float]]:
    """CPU seconds of each kind of measurement."""
    command = Path(sys.executable).with_name("memorycode")
    seconds: dict[str, list[float]] = {kind: [] for kind in TIMED}
    for _ in range(repeats):
        for kind in TIMED:
            child = [sys.executable, __file__, kind, model]
            done = subprocess.run(child, capture_output=True, text=True, check=True)
            seconds[kind].append(float(done.stdout))
        if command.exists():
            seconds.setdefault("command", []).append(cpu_of_command(command, release, model))
    return seconds


def report(model: str, seconds: dict[str, list[float]]) -> None:
    print(f"{model}: CPU seconds, and how often that of parse (bar {BAR})")
    for kind, taken in seconds.items():
        low, middle = min(taken), statistics.median(taken)
        pairs = zip(taken, seconds["parse"], strict=False)
        ratios = [value / parse for value, parse in pairs]
        print(
            f"  {kind:8} min {low:6.2f}  median {middle:6.2f}"
            f"   ratio min {min(ratios):.2f}  median {statistics.median(ratios):.2f}"
            f"  of minima {low / min(seconds['parse']):.2f}"
        )
    pairs = zip(seconds["strict"], seconds["score"], strict=True)
    twice = [strict / score for strict, score in pairs]
    print(f"  strict / score (bar {STRICT_BAR}): min {min(twice):.2f}  max {max(twice):.2f}")


def time_parse(release: Path, model: str) -> float:
    outputs = load_outputs(release / "outputs" / model)
    codes = {
        extract_code(answer)
        for recorded in outputs.values()
        for session in range(len(recorded.sessions))
        for setting in SETTINGS
        for answer in recorded.answers(setting, session)
    }
    warnings.simplefilter("ignore")
    start = time.process_time()
    for code in codes:
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            ast.parse(code)
    return time.process_time() - start


def time_score(scorer: Scorer, release: Path, model: str) -> float:
    start = time.process_time()
    dialogues = load_dataset(release / "dataset")
    outputs = load_outputs(release / "outputs" / model)
    score_outputs(dialogues, outputs, scorer).model_dump_json()
    return time.process_time() - start


def cpu_of_command(command: Path, release: Path, model: str) -> float:
    dataset, outputs = release / "dataset", release / "outputs" / model
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [command, "score", "--dataset", dataset, "--outputs", outputs, "--json"],
        stdout=subprocess.DEVNULL,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


TIMED: dict[str, Callable[[Path, str], float]] = {
    "parse": time_parse,
    "score": partial(time_score, OfficialScorer()),
    "strict": partial(time_score, StrictScorer()),
}


if __name__ == "__main__":
    main()
