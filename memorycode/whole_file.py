"""What is written appears whole or not at all, and never in place of what somebody else wrote.

It is written beside its place under a name of its own, ``.NAME.….memorycode-part``, and takes its
place once it is whole. Whoever writes such a part holds its lock, which goes with the process: a
part that nobody holds is left over, and the next call removes it (docs/files.md).
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path

from memorycode.errors import UsageError

_PART = re.compile(r"\..+\.[0-9a-f]{16}\.memorycode-part")
_MOST = 40
"""Letters of a name that stand in its part's, which must not be too long for the disk."""

_OF_DISKS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS}
"""What writing to an open file fails with; such an error names no file."""


@contextmanager
def written_whole(file: Path) -> Iterator[Path]:
    """Where to write what becomes the file once the ``with`` ends, in place of what is there.

    Where `file` is a link, what it leads to is replaced. Raises `UsageError` where it cannot be
    written; nothing of it is left then.
    """
    target = Path(os.path.realpath(file))
    part = _part_of(target)
    with _told(file, part), _held(part, partial(Path.touch, exist_ok=False)):
        try:
            yield part
            with part.open("rb+") as written:
                os.fsync(written.fileno())
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)


@contextmanager
def own_replaced(file: Path, is_own: Callable[[Path], bool]) -> Iterator[Path]:
    """The same for a file that a user named: raises as `refuse_foreign` does, before anything is
    written and before it would be replaced."""
    refuse_foreign(file, is_own)
    remove_parts(Path(os.path.realpath(file)).parent)
    with written_whole(file) as part:
        yield part
        refuse_foreign(file, is_own)


@contextmanager
def folder_written_whole(folder: Path) -> Iterator[Path]:
    """An empty folder that becomes `folder`, which must not be there or be empty, once the ``with``
    ends. Raises `UsageError` where it cannot be written; nothing of it is left then."""
    target = Path(os.path.realpath(folder))
    part = _part_of(target)
    remove_parts(part.parent)
    with _told(folder, part), _held(part, Path.mkdir):
        try:
            yield part
            part.rename(target)
        finally:
            shutil.rmtree(part, ignore_errors=True)


def refuse_foreign(file: Path, is_own: Callable[[Path], bool]) -> None:
    """Raises `UsageError` where there is something that `is_own` does not know for what memorycode
    writes under that name, or where no file can be. An empty file is nobody's."""
    target = Path(os.path.realpath(file))
    if target.is_dir():
        raise UsageError(f"{file}: is a folder; name the file to write")
    if not target.parent.is_dir():
        raise UsageError(f"{file}: there is no folder {target.parent}")
    if os.path.lexists(target) and not target.is_file():
        # A device or a pipe would be replaced, not written to.
        raise UsageError(f"{file}: is no regular file; name the file to write")
    if not os.access(target.parent, os.W_OK):
        raise UsageError(f"{file}: nothing can be written to the folder {target.parent}")
    try:
        is_foreign = target.exists() and target.stat().st_size > 0 and not is_own(target)
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror or error}") from error
    if is_foreign:
        raise UsageError(
            f"{file}: is there already, and it is not what memorycode would write there; name "
            "another, or remove it"
        )


def remove_parts(folder: Path) -> None:
    """Remove what killed processes left of files and folders that they were writing there."""
    for part in filter(is_part, folder.iterdir()):
        with suppress(OSError), _locked(part, wait=False):  # in use, or gone in the meantime
            if part.is_dir():
                shutil.rmtree(part)
            else:
                part.unlink()


def is_part(path: Path) -> bool:
    """Whether it has the name of something unfinished."""
    return _PART.fullmatch(path.name) is not None


def _part_of(target: Path) -> Path:
    name = f".{target.name[:_MOST]}.{secrets.token_hex(8)}.memorycode-part"
    return target.with_name(name)


@contextmanager
def _held(part: Path, make: Callable[[Path], None]) -> Iterator[None]:
    """Make the part; nobody takes it for a left one before the ``with`` ends."""
    with ExitStack() as stack:
        while True:
            make(part)
            with suppress(OSError):  # found before it had its lock, and gone; or there are no locks
                stack.enter_context(_locked(part, wait=True))
            if part.exists():
                break
        yield


@contextmanager
def _locked(part: Path, *, wait: bool) -> Iterator[None]:
    """With the part's lock. Raises `OSError` where another has it and none is waited for, and where
    there are no locks: there, nothing is ever known to be left."""
    if sys.platform == "win32":
        raise OSError(errno.ENOLCK, "no locks that leave a file to be renamed")
    import fcntl

    held = os.open(part, (os.O_RDONLY if part.is_dir() else os.O_RDWR) | os.O_NOFOLLOW)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        yield
    finally:
        os.close(held)


@contextmanager
def _told(target: Path, part: Path) -> Iterator[None]:
    """Says which file cannot be written, by the name that the user knows."""
    try:
        yield
    except OSError as error:
        if error.errno not in _OF_DISKS and str(part) not in str(error.filename):
            raise
        raise UsageError(f"{target}: cannot be written: {error.strerror or error}") from error
