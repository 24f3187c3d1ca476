"""Whether the tests notice when the code that makes published numbers is changed.

Cosmic Ray makes the mutants: one small change each, in a copy of the project, and the module's own
tests run on it, without the published data. A mutant that no test fails on has survived. What is
mutated, by which tests it has to be noticed, and which survivors are known stands in mutants.toml.
Types are mypy's to check: a change within an annotation is not counted, neither as killed nor as
survived. Fails where a module has too many survivors, and where one is not among the known.

::

    python -m tests.prove.mutants [memorycode/retrieval/top_k.py …] [--jobs 2] [--least 0.9]
"""

from __future__ import annotations

import argparse
import ast
import compileall
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from cosmic_ray.work_db import use_db
from cosmic_ray.work_item import MutationSpec, WorkerOutcome, WorkResult

from tests.prove.survivors import known_survivors, tests_by_module

ROOT = Path(__file__).resolve().parents[2]
LEFT_BEHIND = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*cache", "dist", "build")
TIMEOUT = 120
"""Seconds until a mutant counts as killed by never ending: fifty times what its tests take."""

CONFIG = """
[cosmic-ray]
module-path = "{module}"
timeout = {timeout}
excluded-modules = []
test-command = "{command}"
distributor.name = "local"
"""


class Outcome(NamedTuple):
    """What became of a module's mutants; `survivors` are named by their line."""

    module: str
    mutants: int
    endless: int
    survivors: tuple[str, ...]
    seconds: float

    @property
    def killed(self) -> int:
        return self.mutants - len(self.survivors)


def prove(module: str, tests: Sequence[str]) -> Outcome:
    """Every mutant of a module. Raises `RuntimeError` if the tests fail without any."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "project"
        shutil.copytree(ROOT, copy, ignore=LEFT_BEHIND)
        compileall.compile_dir(copy / "memorycode", quiet=1)
        session = Path(folder) / "session.sqlite"
        config = Path(folder) / "config.toml"
        config.write_text(
            CONFIG.format(module=module, timeout=TIMEOUT, command=_command(tests)), encoding="utf-8"
        )
        _cosmic_ray(copy, "baseline", str(config))
        _cosmic_ray(copy, "init", str(config), str(session))
        _leave_out_annotations(session, (ROOT / module).read_text(encoding="utf-8"))
        _cosmic_ray(copy, "exec", str(config), str(session))
        return _outcome(session, module, time.monotonic() - begun)


def _command(tests: Sequence[str]) -> str:
    """Without any plug-in but one: to load them takes as long as the tests."""
    options = "-m pytest -x -q -p no:cacheprovider -p _hypothesis_pytestplugin --hypothesis-seed=0"
    return shlex.join([sys.executable, *options.split(), *tests])


def _cosmic_ray(copy: Path, *arguments: str) -> None:
    told = {name: value for name, value in os.environ.items() if not name.startswith("MEMORYCODE_")}
    done = subprocess.run(
        [Path(sys.executable).with_name("cosmic-ray"), *arguments],
        cwd=copy,
        env=told | {"PYTHONPATH": str(copy), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"cosmic-ray {arguments[0]} failed:\n{done.stdout}\n{done.stderr}")


def _leave_out_annotations(session: Path, source: str) -> None:
    spans = list(_annotations(ast.parse(source)))
    with use_db(session) as database:
        database.set_multiple_results(
            [
                item.job_id
                for item in database.pending_work_items
                if any(start <= item.mutations[0].start_pos < end for start, end in spans)
            ],
            WorkResult(worker_outcome=WorkerOutcome.SKIPPED, output="an annotation"),
        )


def _annotations(tree: ast.AST) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Where annotations begin and end, as line and column."""
    for node in ast.walk(tree):
        for name in ("annotation", "returns"):
            found = getattr(node, name, None)
            if isinstance(found, ast.expr) and found.end_lineno and found.end_col_offset:
                yield (
                    (found.lineno, found.col_offset),
                    (found.end_lineno, found.end_col_offset),
                )


def _outcome(session: Path, module: str, seconds: float) -> Outcome:
    mutants, endless, survivors = 0, 0, []
    with use_db(session) as database:
        for item, result in database.completed_work_items:
            if result.worker_outcome == WorkerOutcome.SKIPPED:
                continue
            if result.worker_outcome != WorkerOutcome.NORMAL:
                raise RuntimeError(f"{_place(item.mutations[0])}: {result.output}")
            mutants += 1
            endless += result.output == "timeout"
            if not result.is_killed:
                survivors.append(_changed_line(result.diff))
    return Outcome(module, mutants, endless, tuple(sorted(survivors)), seconds)


def _place(mutation: MutationSpec) -> str:
    return f"{mutation.module_path}:{mutation.start_pos[0]}: {mutation.operator_name}"


def _changed_line(diff: str) -> str:
    """The line that a mutant makes, or the one that it leaves without what stood before it."""
    lines = diff.splitlines()[3:]
    changes = [at for at, line in enumerate(lines) if line[:1] in ("+", "-")]
    texts = [lines[at][1:].strip() for at in changes]
    made = [text for at, text in zip(changes, texts, strict=True) if text and lines[at][0] == "+"]
    if made:
        return " ".join(made)
    return f"{lines[changes[-1] + 1].strip()} without {' '.join(texts).strip()}"


def _print_table(outcomes: Sequence[Outcome]) -> None:
    print("| module | mutants | killed | of them endless | survived | seconds |")
    print("|---|---|---|---|---|---|")
    for module, mutants, endless, survivors, seconds in outcomes:
        share = (mutants - len(survivors)) / mutants
        print(
            f"| `{module}` | {mutants} | {mutants - len(survivors)} ({share:.1%}) | {endless} "
            f"| {len(survivors)} | {seconds:.0f} |"
        )


def _complaints(outcomes: Sequence[Outcome], least: float) -> Iterator[str]:
    known = {(one.module, mutant) for one in known_survivors() for mutant in one.mutants}
    for outcome in outcomes:
        if outcome.killed < least * outcome.mutants:
            yield f"{outcome.module}: fewer than {least:.0%} are killed"
        found = {(outcome.module, mutant) for mutant in outcome.survivors}
        for module, mutant in sorted(found - known):
            yield f"{module}: survives, and no reason is known: {mutant}"
        for module, mutant in sorted(known - found):
            if module == outcome.module:
                yield f"{module}: stands among the survivors and is none: {mutant}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", help="all of mutants.toml unless named")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--least", type=float, default=0.9)
    chosen = parser.parse_args()
    tests = tests_by_module()
    unknown = sorted(set(chosen.modules) - set(tests))
    if unknown:
        parser.error(f"not in mutants.toml: {', '.join(unknown)}")
    modules = chosen.modules or list(tests)
    with ThreadPoolExecutor(chosen.jobs) as pool:
        outcomes = list(pool.map(lambda module: prove(module, tests[module]), modules))
    _print_table(outcomes)
    complaints = list(_complaints(outcomes, chosen.least))
    print("\n".join(complaints))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
