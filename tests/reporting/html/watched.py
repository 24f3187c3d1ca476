"""A page in a browser, with all that it asks for and complains of."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


class Watched:
    """A page with all that it asked for and complained of."""

    def __init__(self, browser: Browser, **options: Any) -> None:
        options = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"} | options
        self.page: Page = browser.new_page(**options)
        self.page.set_default_timeout(10_000)
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def open(self, file: Path, fragment: str = "") -> Page:
        self.page.goto(f"{file.as_uri()}{fragment}")
        self.page.wait_for_selector("html[data-ready]")
        return self.page

    def check(self) -> None:
        """No error, and one request: for the page itself."""
        assert self.complaints == []
        pages = {request.partition("#")[0] for request in self.requests}
        assert all(page.startswith("file://") and page.endswith(".html") for page in pages), pages
        assert len(pages) <= 1


def fragment(id_: str, run: int = 0) -> str:
    return f"#/q/{quote(id_, safe='')}" + (f"/run/{run + 1}" if run else "")


def go(page: Page, id_: str, run: int = 0) -> None:
    page.evaluate("hash => { location.hash = hash; }", fragment(id_, run))
    page.locator("#status", has_text=f"Question {id_}").wait_for()


def shown_id(page: Page) -> str:
    return (page.locator("#question-title bdi").text_content() or "").strip()


def open_all(page: Page) -> None:
    page.evaluate(
        "() => document.querySelectorAll('#question details').forEach(d => d.open = true)"
    )
    page.wait_for_timeout(50)
