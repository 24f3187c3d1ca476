"""What the commands share: exit statuses, options, output for machines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

DONE, FAILED, WRONG_USE, INTERRUPTED = 0, 1, 2, 130

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object for machines.")]
RunPath = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")]


def print_json(value: Any) -> None:
    """One line of JSON on standard output."""
    print(json.dumps(value))
