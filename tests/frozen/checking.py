"""Gives all outputs again and says where they differ from the frozen ones."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from tests.frozen.cases import RUNS, Case
from tests.frozen.comparing import Difference, differences
from tests.frozen.producing import CommandFailed, prepare, produce
from tests.frozen.renames import Renames
from tests.frozen.store import read_frozen

Output = str | CommandFailed


def outputs(cases: Iterable[Case], release: Path | None = None) -> Iterator[tuple[Case, Output]]:
    """What each case gives today, on copies of the recorded runs; an exception where it gives
    none. Raises `RuntimeError` where a run's folder was written to."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        prepare(folder, release)
        before = _contents(folder)
        for case in cases:
            try:
                yield case, produce(case, folder)
            except CommandFailed as error:
                yield case, error
        if _contents(folder) != before:
            raise RuntimeError("reading a run has written to its folder")


def check(
    cases: Iterable[Case],
    renames: Renames,
    release: Path | None = None,
    tell: Callable[[str], None] = lambda _name: None,
) -> Iterator[Difference]:
    """Every difference between today's outputs and the frozen ones; `tell` hears of each file
    before it is made."""
    for case, output in outputs(_told(cases, tell), release):
        frozen = read_frozen(case.file)
        if isinstance(output, CommandFailed):
            yield Difference(case.file, "an output", str(output))
        elif frozen is None:
            yield Difference(case.file, "nothing", "an output that nobody has frozen")
        else:
            yield from differences(case.file, frozen, output, renames)


def _told(cases: Iterable[Case], tell: Callable[[str], None]) -> Iterator[Case]:
    for case in cases:
        tell(case.file)
        yield case


def _contents(folder: Path) -> dict[str, str]:
    """The hash of every file of the runs."""
    files = sorted(file for run in RUNS for file in (folder / run).rglob("*") if file.is_file())
    return {
        file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in files
    }
