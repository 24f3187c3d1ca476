"""Writes a package from templates: all of it, or nothing."""

from __future__ import annotations

import importlib.util
import keyword
import re
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, distribution, version
from importlib.resources import files
from pathlib import Path

from memorycode.errors import UsageError
from memorycode.plugins import installed
from memorycode.whole_file import folder_written_whole

_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")

_FILES = {
    "pyproject.toml": "pyproject.toml.txt",
    "README.md": "README.md.txt",
    "src/{name}/__init__.py": "init.py.txt",
    "src/{name}/memory.py": "memory.py.txt",
    "tests/test_memory.py": "test_memory.py.txt",
}
"""The files of the package, and the template of each."""


def write_package(name: str, folder: Path) -> Path:
    """Write the package `name` into `folder`, which must not exist; gives the folder.

    Raises `UsageError` for a name that no strategy can have or that is taken, and for a folder
    that is there or cannot be made.
    """
    _check_name(name)
    if folder.exists() or folder.is_symlink():
        raise UsageError(f"{folder} is there already; name another folder with --out")
    if not folder.absolute().parent.is_dir():
        raise UsageError(f"{folder.parent}: no such folder to make {folder.name} in")
    _check_taken(name)
    values = {
        "NAME": name,
        "CLASS": "".join(part.capitalize() for part in name.split("_")),
        "DISTRIBUTION": name.replace("_", "-"),
        "VERSION": version("memorycode"),
    }
    _write(folder, {path.format(name=name): _filled(file, values) for path, file in _FILES.items()})
    return folder


def _check_name(name: str) -> None:
    if _NAME.fullmatch(name) and not keyword.iskeyword(name):
        return
    words = re.findall(r"[a-z0-9]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower())
    better = "_".join(words).lstrip("0123456789_")
    usable = _NAME.fullmatch(better) and not keyword.iskeyword(better)
    hint = f"; {better} would do" if usable else ""
    raise UsageError(
        f"{name!r} is no name for a strategy: lower-case letters, digits and single underscores, "
        f"beginning with a letter, and no word of Python's{hint}"
    )


def _check_taken(name: str) -> None:
    point = installed("strategies").get(name)
    if point is not None:
        raise UsageError(f"a strategy named {name} is installed already ({point.value})")
    if importlib.util.find_spec(name) is not None:
        raise UsageError(f"a module named {name} can be imported already: take another name")
    try:
        taken = distribution(name)
    except PackageNotFoundError:
        return
    raise UsageError(f"a package named {taken.name} is installed already: take another name")


def _filled(template: str, values: Mapping[str, str]) -> str:
    text = (files("memorycode.scaffold") / "templates" / template).read_text(encoding="utf-8")
    return re.sub(r"@([A-Z]+)@", lambda match: values[match[1]], text)


def _write(folder: Path, texts: Mapping[str, str]) -> None:
    """Write the files beside the folder and give them its name when all are there."""
    with folder_written_whole(folder) as package:
        for path, text in texts.items():
            file = package / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
