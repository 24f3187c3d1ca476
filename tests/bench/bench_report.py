"""How long the page of a run takes to make, to open and to show a question, and its size.

    python tests/bench/bench_report.py [RUN …]

Without a run, one of generated dialogues is made first. Needs playwright and a ``chromium``. Times
are medians of three fresh browsers.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from memorycode.evaluation import run_experiment
from memorycode.experiment import load_experiment
from memorycode.reporting.html.page import write_page
from memorycode.running.execution import Execution
from memorycode.running.folder import RunFolder
from memorycode.sources import dialogues_for

if TYPE_CHECKING:
    from playwright.sync_api import BrowserType

ROUNDS = 3


def main(runs: list[str]) -> None:
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder:
        runs = runs or [_made(Path(folder) / "run")]
        questions = sum(1 for run in runs for _ in RunFolder(run).records())
        file = Path(folder) / "page.html"
        began = time.monotonic()
        write_page(runs, file)
        made = time.monotonic() - began
        size = file.stat().st_size / 1e6
        print(f"{questions:,} questions: made in {made:.1f} s on {os.cpu_count()} CPUs")
        print(f"{size:.1f} MB, {1e6 * size / questions:,.0f} bytes a question")
        with sync_playwright() as playwright:
            times = [_opened(playwright.chromium, file) for _ in range(ROUNDS)]
    opened, chosen = (median(values) for values in zip(*times, strict=True))
    print(f"opened in {opened:.2f} s; another dialogue, unpacked and shown, in {chosen:.2f} s")


def _made(folder: Path) -> str:
    experiment = load_experiment("demo")
    run_experiment(experiment, dialogues_for(experiment), Execution(out=folder))
    return str(folder)


def _opened(chromium: BrowserType, file: Path) -> tuple[float, float]:
    """Seconds until the first question is shown, and until one of the last dialogue is."""
    browser = chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    try:
        page = browser.new_page()
        began = time.monotonic()
        page.goto(file.as_uri())
        page.wait_for_selector("html[data-ready]")
        opened = time.monotonic() - began
        before = page.locator("#question-title").text_content()
        choice = page.get_by_label("Dialogue", exact=True)
        began = time.monotonic()
        choice.select_option(index=choice.locator("option").count() - 1)
        while page.locator("#question-title").text_content() == before:
            page.wait_for_timeout(5)
        return opened, time.monotonic() - began
    finally:
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
