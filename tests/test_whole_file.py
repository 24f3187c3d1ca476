"""Files appear whole or not at all; what is left of killed processes goes, what is in use stays."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memorycode.datasets import write_dataset
from memorycode.errors import UsageError
from memorycode.whole_file import (
    folder_written_whole,
    is_part,
    own_replaced,
    remove_parts,
    written_whole,
)
from tests.conftest import make_dialogue

_WRITER = """
import sys
from pathlib import Path
from memorycode.whole_file import own_replaced
text = sys.argv[2] * 50_000
for _ in range(50):
    with own_replaced(Path(sys.argv[1]), lambda file: file.read_text()[0] in "xy") as part:
        part.write_text(text)
"""

_STUCK = """
import sys, time
from pathlib import Path
from memorycode import whole_file
with getattr(whole_file, sys.argv[1])(Path(sys.argv[2])) as part:
    print(part.name, flush=True)
    time.sleep(600)
"""

_FULL = """
import resource, sys
from pathlib import Path
from memorycode.errors import UsageError
from memorycode.whole_file import written_whole
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    with written_whole(Path(sys.argv[1])) as part, part.open("wb", buffering=0) as opened:
        for _ in range(100):
            opened.write(b"x" * 100)
except UsageError as error:
    print(error)
"""


def never(_: Path) -> bool:
    return False


def test_two_that_write_at_once_do_not_harm_one_another(tmp_path: Path) -> None:
    file = tmp_path / "file"
    writers = [
        subprocess.Popen([sys.executable, "-c", _WRITER, str(file), name]) for name in ("x", "y")
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    assert file.read_text() in ("x" * 50_000, "y" * 50_000)
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("kind", ["written_whole", "folder_written_whole"])
def test_a_part_is_removed_once_its_process_is_gone(tmp_path: Path, kind: str) -> None:
    call = [sys.executable, "-c", _STUCK, kind, str(tmp_path / "it")]
    with subprocess.Popen(call, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            part = tmp_path / process.stdout.readline().strip()
            assert is_part(part)
            remove_parts(tmp_path)
            assert part.exists()
        finally:
            process.kill()
    assert part.exists()
    remove_parts(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_only_what_has_a_name_of_ours_is_removed(tmp_path: Path) -> None:
    names = ["page.html.part", ".page.html.new", ".memorycode-part", ".x.0123.memorycode-part"]
    for name in names:
        (tmp_path / name).touch()
    with own_replaced(tmp_path / "new", never) as part:
        part.touch()
    assert sorted(item.name for item in tmp_path.iterdir()) == sorted([*names, "new"])


def test_a_link_with_a_name_of_ours_leads_nowhere_else(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.write_text("mine")
    (tmp_path / ".x.0123456789abcdef.memorycode-part").symlink_to(theirs)
    remove_parts(tmp_path)
    assert theirs.read_text() == "mine"


def test_what_comes_in_between_is_not_replaced(tmp_path: Path) -> None:
    file = tmp_path / "file"
    with pytest.raises(UsageError, match="is there already"), own_replaced(file, never) as part:
        part.write_text("ours")
        file.write_text("theirs")
    assert file.read_text() == "theirs"
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_has_the_permissions_of_any_new_one(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with written_whole(tmp_path / "file") as part:
            part.touch()
        with folder_written_whole(tmp_path / "folder") as made:
            (made / "x").touch()
    finally:
        os.umask(before)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "folder").stat().st_mode & 0o777 == 0o750


def test_a_full_disk_is_told_and_leaves_what_was_there(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("before")
    call = [sys.executable, "-c", _FULL, str(file)]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    assert done.stdout == f"{file}: cannot be written: File too large\n"
    assert file.read_text() == "before"
    assert list(tmp_path.iterdir()) == [file]


def test_a_place_that_takes_no_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(UsageError, match="loop: is no regular file"):
        own_replaced(tmp_path / "loop", never).__enter__()
    with pytest.raises(UsageError, match="x: cannot be written: No such file or directory"):
        written_whole(tmp_path / "nowhere" / "x").__enter__()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_is_read_only_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(UsageError, match="nothing can be written to the folder"):
        own_replaced(tmp_path / "x", never).__enter__()


def test_an_error_of_something_else_stays_what_it_is(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), written_whole(tmp_path / "x"):
        (tmp_path / "missing").read_bytes()
    assert list(tmp_path.iterdir()) == []


def test_a_dialogue_that_says_something_else_is_not_written_over(tmp_path: Path) -> None:
    write_dataset([make_dialogue(1), make_dialogue(2)], tmp_path)
    write_dataset([make_dialogue(1)], tmp_path)
    file = tmp_path / "dialogue_1.json"
    file.write_text("{}")
    with pytest.raises(UsageError, match=r"dialogue_1\.json: is there already"):
        write_dataset([make_dialogue(1)], tmp_path)
    assert file.read_text() == "{}"
