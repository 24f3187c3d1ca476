"""Gives outputs again by the public command line, in this process and in a folder of its own."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import re
import shutil
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch

from memorycode.cli import main
from tests.frozen.cases import RUNS, Case

FIXTURES = Path(__file__).parents[1] / "fixtures"

_DRAWING = ("matplotlib", "altair", "vl_convert")
"""Pictures take time and are not frozen: without these a command writes its numbers alone."""

_BLOCK = re.compile(
    r'<script type="application/(?P<type>[^"]+)" id="(?P<id>[^"]+)">(?P<data>.*?)</script>', re.S
)


class CommandFailed(Exception):
    """A command ended otherwise than when its output was frozen."""


def prepare(folder: Path, release: Path | None = None) -> None:
    """Put copies of the recorded runs into `folder`, where nothing can harm the originals, and a
    link to the published release."""
    for run in RUNS:
        shutil.copytree(FIXTURES / "runs" / run, folder / run)
    shutil.copy(FIXTURES / "prices.toml", folder)
    if release is not None:
        (folder / "release").symlink_to(release)


def produce(case: Case, folder: Path) -> str:
    """The output, as it is frozen: JSON in one canonical form, a table as it was written.

    Raises `CommandFailed` where the command gives none.
    """
    file = folder / case.wants
    said = "" if file.is_file() else _call(case.arguments, folder)
    if case.wants:
        if not file.is_file():
            raise CommandFailed(f"{' '.join(case.arguments)}: wrote no {case.wants}")
        said = file.read_bytes().decode("utf-8")
    if str(folder.resolve()) in said:
        raise CommandFailed(f"{' '.join(case.arguments)}: names the folder that it ran in")
    match case.kind:
        case "csv":
            return said
        case "page":
            return canonical(page_data(said))
        case "audit":
            return canonical(_without_texts(json.loads(said)))
        case _:
            return canonical(json.loads(said))


def canonical(value: Any) -> str:
    """JSON with sorted keys, a value to a line: equal values, equal bytes."""
    return json.dumps(value, sort_keys=True, indent=1) + "\n"


def page_data(page: str) -> dict[str, Any]:
    """All data that a page carries, unpacked, by the ids of their elements."""
    found = {
        match["id"]: _unpacked(match["type"], match["data"]) for match in _BLOCK.finditer(page)
    }
    if not found:
        raise CommandFailed("the page carries no data")
    return found


def _unpacked(kind: str, data: str) -> Any:
    return json.loads(data if kind == "json" else zlib.decompress(base64.b64decode(data)))


def _without_texts(audit: dict[str, Any]) -> dict[str, Any]:
    """An audit whose details, which quote the data set, are hashes."""
    problems = [
        {**problem, "detail": hashlib.sha256(problem["detail"].encode()).hexdigest()[:12]}
        for problem in audit["problems"]
    ]
    return {**audit, "problems": problems}


def _call(arguments: tuple[str, ...], folder: Path) -> str:
    """What the command prints; failed questions are no failure of the command."""
    said, complained = io.StringIO(), io.StringIO()
    with _surroundings(arguments, folder), redirect_stdout(said), redirect_stderr(complained):
        status = _status()
    if status != 0:
        raise CommandFailed(
            f"{' '.join(arguments)}: exit status {status}: {complained.getvalue().strip()}"
        )
    return said.getvalue()


def _status() -> int:
    try:
        main()
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else int(bool(left.code))


@contextmanager
def _surroundings(arguments: tuple[str, ...], folder: Path) -> Iterator[None]:
    """The command's arguments and folder, a path of its own to search, no settings of the user's
    and no drawing library."""
    earlier = Path.cwd()
    settings = {k: v for k, v in os.environ.items() if not k.startswith(("MEMORYCODE_", "OPENAI_"))}
    os.chdir(folder)
    try:
        with (
            patch.object(sys, "argv", ["memorycode", *arguments]),
            patch.object(sys, "path", [*sys.path]),
            _without_drawing(),
            patch.dict(os.environ, {**settings, "COLUMNS": "100"}, clear=True),
        ):
            yield
    finally:
        os.chdir(earlier)


@contextmanager
def _without_drawing() -> Iterator[None]:
    # Not `patch.dict`: that would also forget whatever else is imported meanwhile.
    earlier = {name: sys.modules[name] for name in _DRAWING if name in sys.modules}
    modules: dict[str, Any] = sys.modules
    modules.update(dict.fromkeys(_DRAWING))
    try:
        yield
    finally:
        for name in _DRAWING:
            del modules[name]
        modules.update(earlier)
