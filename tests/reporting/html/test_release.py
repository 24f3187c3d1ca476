"""The page of every memory on the published dialogues opens in two seconds and answers to clicks.

A long proof: ``MEMORYCODE_SLOW=1``. ``MEMORYCODE_RUN`` names a run of ``every_memory`` to take,
where there is one.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memorycode import evaluate, load_dataset
from memorycode.experiment import load_experiment
from memorycode.reporting.html.page import write_page
from memorycode.results.found_question import find_question
from memorycode.running.folder import RunFolder
from tests.reporting.html.watched import Watched, go, open_all

pytestmark = pytest.mark.skipif(
    not os.environ.get("MEMORYCODE_SLOW"), reason="a long proof: MEMORYCODE_SLOW is not set"
)


@pytest.fixture(scope="module")
def run(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if there := os.environ.get("MEMORYCODE_RUN"):
        return Path(there)
    out = tmp_path_factory.mktemp("release") / "run"
    strategies = load_experiment("every_memory").strategies
    evaluate(load_dataset(release / "dataset"), strategies=strategies, out=out)
    return out


def test_every_memory_on_the_published_dialogues(
    watched: Watched, run: Path, tmp_path: Path
) -> None:
    write_page([run], tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size < 20_000_000
    page = watched.open(tmp_path / "page.html")
    assert page.evaluate("performance.getEntriesByName('ready')[0].startTime") < 2_000
    settings = RunFolder(run).manifest.settings
    assert page.locator("#comparison-table tbody tr").count() == len(settings.strategies)
    for entry in settings.strategies:
        id_ = f"359/99/3/{entry.spec}/ideal-mentee"
        began = page.evaluate("performance.now()")
        go(page, id_)
        assert page.evaluate("performance.now()") - began < 2_000
        open_all(page)
        assert page.locator(".sessions > li").count() == 100
        if page.get_by_role("button", name="Show all").count():
            page.get_by_role("button", name="Show all").last.click()
        shown = page.get_by_role("region", name="Prompt").text_content()
        assert shown == find_question(run, id_).prompt
