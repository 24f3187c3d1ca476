"""Two small runs, their pages, and a browser to look at them.

The browser is Debian's ``chromium``, driven by playwright; where one is missing its tests are
skipped, except in CI.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memorycode import evaluate
from memorycode.reporting.html.page import write_page
from tests.conftest import make_dialogue
from tests.reporting.html.watched import Watched
from tests.run_files import change_asked, read_lines, write_lines

if TYPE_CHECKING:
    from playwright.sync_api import Browser

STRATEGIES = ("no_memory", "full_history", "mentor_only", "rag", "active_rules", "cumulative")
COPIES = 320
"""Of a dialogue that all the strategies are asked 16 questions about."""


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The same strategies without a bound, and with one that loses rules."""
    folder = tmp_path_factory.mktemp("runs")
    dialogues = [make_dialogue(number) for number in (1, 2, 3)]
    evaluate(dialogues, strategies=STRATEGIES, out=folder / "first")
    evaluate(dialogues, strategies=STRATEGIES, out=folder / "second", context_budget=25)
    return folder / "first", folder / "second"


@pytest.fixture(scope="session")
def one_page(runs: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("one") / "one.html"
    write_page(runs[:1], file)
    return file


@pytest.fixture(scope="session")
def two_page(runs: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("two") / "two.html"
    write_page(runs, file)
    return file


@pytest.fixture(scope="session")
def many_questions(runs: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of more than 5,000 questions: the dialogues of the first run over and over."""
    folder = tmp_path_factory.mktemp("many") / "run"
    shutil.copytree(runs[0], folder)
    numbers = range(1, COPIES + 1)
    with gzip.open(runs[0] / "dialogues.jsonl.gz", "rt") as lines:
        dialogue = json.loads(next(lines))
    with gzip.open(folder / "dialogues.jsonl.gz", "wt") as lines:
        lines.writelines(json.dumps(dialogue | {"number": n}) + "\n" for n in numbers)
    contexts = [c for c in read_lines(folder / "contexts.jsonl") if c["dialogue"] == 1]
    write_lines(
        folder / "contexts.jsonl",
        (c | {"dialogue": n, "id": f"{c['id']}-{n}"} for n in numbers for c in contexts),
    )
    change_asked(folder, _copies)
    return folder


def _copies(line: dict[str, Any]) -> list[dict[str, Any]]:
    if line["dialogue"] != 1:
        return []
    return [
        line
        | {
            "dialogue": number,
            "id": f"{number}/{line['id'].partition('/')[2]}",
            "context": f"{line['context']}-{number}",
        }
        for number in range(1, COPIES + 1)
    ]


# ── a browser ─────────────────────────────────────────────────────────────────────────────────


def _missing(what: str) -> None:
    if os.environ.get("CI"):
        pytest.fail(f"{what} is missing, and CI must not skip this")
    pytest.skip(f"{what} is not installed")


# Not for the session: as long as it is there an event loop runs in this thread, in which some
# other tests start one of their own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium")
    if chromium is None:
        _missing("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _missing("playwright")
    with sync_playwright() as playwright:
        # Who runs tests as root, in a container, has no sandbox.
        started = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def watched(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Watched]:
    page = Watched(browser, **getattr(request, "param", {}))
    yield page
    page.check()
    page.page.close()
