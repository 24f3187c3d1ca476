"""The page is the same every time and written at once; nothing in it can run or be fetched."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memorycode.cli.app import make_app
from memorycode.errors import RunFolderError, UsageError
from memorycode.reporting.html.departures import departures
from memorycode.reporting.html.page import write_page
from memorycode.running.folder import RunFolder
from tests.reporting.html.hostile import hostile_run


class _Elements(HTMLParser):
    """All elements with their attributes, and the text of the page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_same_runs_give_the_same_bytes_with_any_number_of_workers(
    runs: tuple[Path, Path], two_page: Path, tmp_path: Path
) -> None:
    write_page(runs, tmp_path / "again.html", workers=2)
    assert (tmp_path / "again.html").read_bytes() == two_page.read_bytes()


def test_nothing_refers_to_another_place(two_page: Path) -> None:
    elements = _Elements(two_page.read_text()).found
    for tag, attributes in elements:
        for name in ("src", "href", "action", "data", "srcset", "style"):
            value = attributes.get(name) or ""
            assert value.startswith(("#", "data:,")) or not value, (tag, name, value)
        assert not [name for name in attributes if name.startswith("on")]
    (policy,) = (a["content"] for t, a in elements if a.get("http-equiv") and t == "meta")
    assert policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy


def test_hostile_names_and_texts_are_text(tmp_path: Path) -> None:
    run = hostile_run(tmp_path)
    write_page([run], tmp_path / "page.html")
    page = _Elements((tmp_path / "page.html").read_text())
    tags = [tag for tag, _ in page.found]
    assert tags.count("script") == 3  # the index, the page's own, one dialogue
    assert not {"img", "iframe", "object", "b"} & set(tags)
    assert "hostile <b>run</b>" in page.text


def test_a_failure_is_not_hidden(tmp_path: Path) -> None:
    write_page([hostile_run(tmp_path)], tmp_path / "page.html")
    text = " ".join(_Elements((tmp_path / "page.html").read_text()).text.split())
    assert "1 questions without an answer (1 timeout), not scored" in text
    assert "1 (1 timeout)" in text


def test_the_overview_says_where_a_run_departs_from_the_paper(runs: tuple[Path, Path]) -> None:
    first, second = (RunFolder(run).manifest.settings for run in runs)
    found = {one.setting: one for one in departures(second)}
    assert found["dialogues"].here == "3"
    assert found["dialogues"].paper == "360"
    assert "own words" in found["prompts"].here
    assert "no language model" in found["model"].here
    assert "25 tokens" in found["context budget"].here
    assert "context budget" not in {one.setting for one in departures(first)}
    named = found["strategies not in the paper"].here.split(", ")
    assert "mentor_only" in named
    assert "full_history" not in named


def test_scores_stand_with_intervals_oracles_and_coverage(one_page: Path) -> None:
    page = one_page.read_text()
    table = re.search(r'<table class="sortable" id="comparison-table">.*?</table>', page, re.DOTALL)
    assert table
    for title in ("official short %", "strict short %", "asked", "failed", "not asked", "absent"):
        assert f">{title}<" in table[0]
    (oracle,) = re.findall(r"<th[^>]*><bdi>active_rules</bdi>.*?</th>", table[0])
    assert "◆" in oracle
    assert "(oracle)" in oracle


def test_a_page_that_cannot_be_made_leaves_the_old_one(
    runs: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "page.html"
    write_page(runs[:1], file)
    old = file.read_bytes()
    with pytest.raises(RunFolderError):
        write_page([tmp_path / "no run"], file)
    monkeypatch.setattr("memorycode.reporting.html.page.block", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_page(runs, file)
    assert file.read_bytes() == old
    assert [item.name for item in tmp_path.iterdir()] == ["page.html"]


def test_a_place_that_cannot_be_written_is_refused_at_once(
    runs: tuple[Path, Path], tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="is a folder"):
        write_page(runs, tmp_path)
    with pytest.raises(UsageError, match="there is no folder"):
        write_page(runs, tmp_path / "no" / "page.html")
    with pytest.raises(UsageError, match="named twice"):
        write_page([runs[0], runs[0] / ".." / "first"], tmp_path / "page.html")
    done = CliRunner().invoke(make_app(), ["report", str(runs[0]), "--html", "x.html", "--json"])
    assert isinstance(done.exception, UsageError)


def test_what_is_no_page_is_not_replaced_by_one(runs: tuple[Path, Path], tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"  # stands for devices as well, which only root can make, or lose
    os.mkfifo(pipe)
    with pytest.raises(UsageError, match="no regular file"):
        write_page(runs[:1], pipe)
    assert pipe.is_fifo()
    records = runs[0] / "asked.jsonl"
    before = records.read_bytes()
    with pytest.raises(UsageError, match="files of a run"):
        write_page(runs[:1], records)
    assert records.read_bytes() == before


def test_only_a_page_is_replaced_and_one_of_an_earlier_version_is_one(
    runs: tuple[Path, Path], one_page: Path, tmp_path: Path
) -> None:
    whole = one_page.read_bytes()
    marker = b'<meta name="generator" content="memorycode">\n'
    assert whole.count(marker) == 1
    file = tmp_path / "page.html"
    for own in (whole, whole.replace(marker, b""), b""):
        file.write_bytes(own)
        write_page(runs[:1], file)
        assert file.read_bytes() == whole
    theirs = (b"<html>mine</html>", b"<!DOCTYPE html>\n<title>on memorycode</title>", b"a,b\n")
    for foreign in theirs:
        file.write_bytes(foreign)
        with pytest.raises(UsageError, match=r"page\.html: is there already, .* or remove it"):
            write_page(runs[:1], file)
        assert file.read_bytes() == foreign
    assert [item.name for item in tmp_path.iterdir()] == ["page.html"]


_STUCK = """
import time
from memorycode.cli.app import main
from memorycode.reporting.html import page
def stuck(*_):
    print("writing", flush=True)
    time.sleep(600)
page.block = stuck
main()
"""


def test_a_process_that_is_killed_while_it_writes_leaves_what_the_next_one_removes(
    runs: tuple[Path, Path], one_page: Path, tmp_path: Path
) -> None:
    call = ["report", str(runs[0]), "--html", "page.html"]
    with subprocess.Popen(
        [sys.executable, "-c", _STUCK, *call], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "writing\n"
            [part] = tmp_path.iterdir()
            write_page(runs[:1], tmp_path / "page.html")  # the other's part stays: it is at work
            assert sorted(item.name for item in tmp_path.iterdir()) == [part.name, "page.html"]
        finally:
            process.kill()
    assert part.exists()
    subprocess.run([sys.executable, "-m", "memorycode", *call], cwd=tmp_path, check=True)
    assert [item.name for item in tmp_path.iterdir()] == ["page.html"]
    assert (tmp_path / "page.html").read_bytes() == one_page.read_bytes()


def test_a_link_stays_one_and_leads_to_the_page(
    runs: tuple[Path, Path], one_page: Path, tmp_path: Path
) -> None:
    page, link = tmp_path / "served" / "page.html", tmp_path / "latest.html"
    page.parent.mkdir()
    link.symlink_to(page)
    write_page(runs[:1], link)
    assert link.is_symlink()
    assert page.read_bytes() == one_page.read_bytes()
    assert [item.name for item in page.parent.iterdir()] == ["page.html"]


def test_the_command_writes_a_page_of_several_runs(
    runs: tuple[Path, Path], two_page: Path, tmp_path: Path
) -> None:
    file = tmp_path / "page.html"
    done = CliRunner().invoke(make_app(), ["report", *map(str, runs), "--html", str(file)])
    assert done.exit_code == 0, done.output
    assert str(file) in done.output
    assert file.read_bytes() == two_page.read_bytes()


def test_the_command_prints_the_tables_of_several_runs(runs: tuple[Path, Path]) -> None:
    done = CliRunner().invoke(make_app(), ["report", *map(str, runs)])
    assert done.exit_code == 0
    assert done.output.count("Memory strategies with ideal-mentee") == 2
    as_json = CliRunner().invoke(make_app(), ["report", *map(str, runs), "--json"])
    assert as_json.output.count('"strategies"') == 2
