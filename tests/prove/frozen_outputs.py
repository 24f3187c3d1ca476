"""Outputs that must not change: tables, comparisons, figures' numbers and pages' data.

Run it as ``python tests/prove/frozen_outputs.py [--only PATTERN]``. What the public commands say of
the recorded runs in ``tests/fixtures/runs`` and, where ``MEMORYCODE_RELEASE`` names the published
release, of its recorded outputs, is made again and compared with ``tests/golden/frozen`` to the
byte, but for what ``renamed.json`` there admits. It names every place that differs and exits with
1. ``--write`` freezes today's outputs anew: for a change of numbers that is meant, never to make
this pass.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

from tests.frozen.cases import Case, of_fixtures, of_release
from tests.frozen.checking import check, outputs
from tests.frozen.producing import CommandFailed
from tests.frozen.renames import read_renames
from tests.frozen.store import FROZEN, RENAMED, frozen_files, write_frozen

_SHOWN = 20
"""Differences of one file that are printed."""


def main() -> int:
    """Compare, or write; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="*", help="names of outputs, such as 'figures/*'")
    parser.add_argument("--write", action="store_true", help="freeze today's outputs anew")
    options = parser.parse_args()
    release = _release()
    everything = [*of_fixtures(), *of_release()]
    known = everything if release else [*of_fixtures()]
    cases = [case for case in known if fnmatchcase(case.name, options.only)]
    if not cases:
        parser.error(f"--only: no output is called {options.only}")
    if release is None:
        print("MEMORYCODE_RELEASE is not set: recorded outputs are left out")
    if options.write:
        return _write(cases, release)
    started = time.perf_counter()
    wrong = _compare(cases, release)
    for file in sorted(frozen_files() - {case.file for case in everything}):
        print(f"{file}: frozen, and no command gives it")
        wrong += 1
    seconds = time.perf_counter() - started
    print(f"{len(cases)} outputs, {wrong} differences, {seconds:.0f} s")
    return 1 if wrong else 0


def _release() -> Path | None:
    named = os.environ.get("MEMORYCODE_RELEASE")
    return Path(named).resolve() if named else None


def _compare(cases: list[Case], release: Path | None) -> int:
    found: Counter[str] = Counter()
    for difference in check(cases, read_renames(RENAMED), release, _tell):
        file = difference.place.partition(":")[0].partition(",")[0]
        found[file] += 1
        if found[file] <= _SHOWN:
            print(difference)
    for file, count in found.items():
        if count > _SHOWN:
            print(f"{file}: {count - _SHOWN} differences more")
    return found.total()


def _write(cases: list[Case], release: Path | None) -> int:
    failed = 0
    for case, output in outputs(cases, release):
        if isinstance(output, CommandFailed):
            print(f"{case.file}: not frozen: {output}")
            failed += 1
        else:
            write_frozen(case.file, output)
    size = sum(file.stat().st_size for file in FROZEN.rglob("*") if file.is_file())
    print(f"{len(cases) - failed} outputs frozen, {size / 1e6:.2f} MB in all")
    return 1 if failed else 0


def _tell(file: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{file}", end="\r", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
