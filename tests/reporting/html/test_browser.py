"""The page in a real browser answers to mouse and keyboard; nothing runs in it, nothing leaves it.

Needs playwright and Debian's ``chromium``; skipped where they are missing, except in CI.
"""

from __future__ import annotations

import os
import shutil
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memorycode.reporting.html.page import write_page
from memorycode.results.found_question import find_question
from memorycode.running.folder import RunFolder
from tests.reporting.html.hostile import LONG, ONE_LINE, WHOLE, hostile_run
from tests.reporting.html.watched import Watched, fragment, go, open_all, shown_id
from tests.run_files import change_asked

if TYPE_CHECKING:
    pass


# ── tables ────────────────────────────────────────────────────────────────────────────────────


def test_a_click_on_a_title_sorts_down_then_up(watched: Watched, one_page: Path) -> None:
    page = watched.open(one_page)
    title = page.locator("#comparison-table th", has_text="strict short %")
    column = page.locator("#comparison-table tbody td:nth-child(4)")

    def values() -> list[float]:
        return [float(text.split()[0]) for text in column.all_text_contents()]

    title.locator("button").click()
    assert title.get_attribute("aria-sort") == "descending"
    assert values() == sorted(values(), reverse=True)
    title.locator("button").focus()
    page.keyboard.press("Enter")
    assert title.get_attribute("aria-sort") == "ascending"
    assert values() == sorted(values())
    assert len(set(values())) > 1
    page.locator("#comparison-table th button", has_text="strategy").click()
    names = page.locator("#comparison-table tbody th bdi").all_text_contents()
    assert names == sorted(names)
    assert title.get_attribute("aria-sort") == "none"


def test_figures_have_their_numbers_as_tables(watched: Watched, one_page: Path) -> None:
    page = watched.open(one_page)
    for figure in page.locator("figure").all():
        figure.locator("summary").click()
        assert figure.locator("details table").is_visible()
        assert all(svg.get_attribute("aria-label") for svg in figure.locator("svg[role=img]").all())


# ── the dialogue browser ──────────────────────────────────────────────────────────────────────


def test_one_chooses_strategy_dialogue_and_question(watched: Watched, one_page: Path) -> None:
    page = watched.open(one_page)
    assert shown_id(page) == "1/3/0/no_memory/ideal-mentee"
    page.get_by_label("Strategy", exact=True).select_option(label="mentor_only")
    page.locator("#question-title", has_text="1/3/0/mentor_only").wait_for()
    page.get_by_label("Dialogue", exact=True).select_option(label="2 – 4 sessions")
    page.locator("#question-title", has_text="2/3/0/mentor_only").wait_for()
    page.get_by_label("Question", exact=True).select_option(index=1)
    page.locator("#question-title", has_text="2/3/1/mentor_only").wait_for()
    assert page.evaluate("location.hash") == fragment("2/3/1/mentor_only/ideal-mentee")
    page.go_back()
    page.locator("#question-title", has_text="2/3/0/mentor_only").wait_for()
    page.get_by_label("Strategy", exact=True).focus()
    page.keyboard.press("ArrowDown")
    page.locator("#question-title", has_text="2/3/0/rag").wait_for()
    assert page.evaluate("document.activeElement.id") == "choose-row"
    assert page.locator("#previous").is_disabled()


def test_a_question_shows_rules_history_code_and_usage(watched: Watched, two_page: Path) -> None:
    page = watched.open(two_page, fragment("1/3/1/mentor_only/ideal-mentee", run=1))
    rows = page.locator("table.rules tbody tr")
    told = {row.locator("th").inner_text(): row.inner_text() for row in rows.all()}
    # Within 25 tokens there is room for the last session alone.
    assert "missed" in told["function docstring: wanted"]
    assert "not recalled" in told["function docstring: wanted"]
    assert "session 3" in told["function docstring: wanted"]
    sessions = page.locator(".sessions > li")
    assert sessions.count() == 4
    changed = sessions.nth(2).locator(".changes").text_content() or ""
    assert "Changed: function: names start with 'w_', before: function: names start with 'k_'" in (
        changed
    )
    open_all(page)
    marks = page.locator("mark").all_text_contents()
    assert "Always start function names with 'k_'." in marks
    recalled = page.locator("#question .transcript .recalled")
    assert recalled.all_text_contents() == ["Ada: Cake at four in the kitchen."]
    question = page.locator("#question").text_content() or ""
    assert "Cut to the budget: 3 passages left out" in question
    assert "context tokens" in page.locator("#usage-title + dl").inner_text()


def test_found_missed_and_stale_sentences_are_told_apart(watched: Watched, two_page: Path) -> None:
    page = watched.open(two_page, fragment("1/2/0/cumulative/ideal-mentee"))

    def states() -> list[str]:
        open_all(page)
        return [mark.get_attribute("class") or "" for mark in page.locator("mark").all()]

    assert states() == ["outdated", "found", "found"]
    go(page, "1/3/0/no_memory/ideal-mentee")
    assert states() == ["superseded", "missed", "missed"]
    go(page, "1/0/0/cumulative/ideal-mentee")
    assert states() == ["found", "later", "later"]


def test_the_line_that_broke_a_rule_is_marked_and_reached(watched: Watched, one_page: Path) -> None:
    page = watched.open(one_page, fragment("1/3/1/no_memory/ideal-mentee"))
    row = page.locator("table.rules tr", has_text="names start with 'w_'")
    link = row.get_by_role("button", name="line ")
    number = link.inner_text().removeprefix("line ")
    line = page.locator(f"#line-{number}")
    assert "def " in line.locator("code").inner_text()
    assert "breaks function: names start with 'w_'" in line.inner_text()
    link.click()
    assert page.evaluate("document.activeElement.id") == f"line-{number}"


@pytest.mark.parametrize("run", [0, 1])
def test_the_prompt_is_the_one_that_was_asked_to_the_byte(
    watched: Watched, two_page: Path, runs: tuple[Path, Path], run: int
) -> None:
    records = RunFolder(runs[run]).records()
    page = watched.open(two_page)
    for id_ in [r.id for r in records if r.dialogue == 1 and not r.number]:
        go(page, id_, run)
        page.locator("#question summary", has_text="Prompt").click()
        shown = page.get_by_role("region", name="Prompt").text_content()
        assert shown == find_question(runs[run], id_).prompt, id_


def test_flipped_questions_come_first_and_lead_to_both_runs(
    watched: Watched, two_page: Path
) -> None:
    page = watched.open(two_page)
    rows = page.locator("#flips-table tbody tr")
    assert "no longer" in rows.first.inner_text()
    rows.first.locator("a").click()
    page.locator("#status", has_text="Question 1/").wait_for()
    page.get_by_role("link", name="The same question in run B").click()
    page.get_by_role("link", name="The same question in run A").wait_for()
    assert page.evaluate("location.hash").endswith("/run/2")
    assert page.locator("table.rules thead").inner_text().count("strict") == 2
    order = page.evaluate(
        "() => document.querySelector('#flipped').compareDocumentPosition("
        "document.querySelector('#browser')) & Node.DOCUMENT_POSITION_FOLLOWING"
    )
    assert order


def test_an_address_that_names_nothing_says_so(watched: Watched, one_page: Path) -> None:
    page = watched.open(one_page, "#/q/9%2F9%2F9%2Fx")
    assert "no question 9/9/9/x here" in page.locator("#status").inner_text()
    page.evaluate("location.hash = '#/q/%E0%A4%A'")
    page.locator("#status", has_text="names no question").wait_for()


# ── keyboard, screen reader, colours, width ───────────────────────────────────────────────────


def test_the_keyboard_is_enough(watched: Watched, two_page: Path) -> None:
    page = watched.open(two_page)
    page.keyboard.press("n")
    page.locator("#question-title", has_text="1/3/1/no_memory").wait_for()
    page.keyboard.press("]")
    page.locator("#question-title", has_text="2/3/1/no_memory").wait_for()
    page.keyboard.press("s")
    page.locator("#question-title", has_text="2/3/1/full_history").wait_for()
    page.keyboard.press("x")
    page.locator("#choose-run >> nth=0").wait_for()
    page.get_by_role("link", name="The same question in run A").wait_for()
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("#help").is_visible()
    page.locator(".strip button").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert page.locator("#session-2 details").get_attribute("open") is not None
    page.locator("#help-button").click()
    page.get_by_label("Single keys act").uncheck()
    page.keyboard.press("Escape")
    before = shown_id(page)
    page.keyboard.press("p")
    page.wait_for_timeout(100)
    assert shown_id(page) == before


def test_the_first_tab_skips_to_the_content(watched: Watched, one_page: Path) -> None:
    page = watched.open(one_page)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


NAMELESS = """() => [...document.querySelectorAll(`button, select, input, a, summary,
  svg[role=img], [role=region], table, section, dialog, nav`)].filter(e => {
    const label = e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length;
    const by = e.getAttribute('aria-labelledby');
    const needs = e.matches('section, dialog, nav, [role=region]');
    if (e.matches('section.run')) return false;
    if (by) return !document.getElementById(by);
    if (e.matches('select, input')) return !e.labels.length;
    if (e.matches('table')) return !e.caption;
    return needs ? !e.getAttribute('aria-label') : !label;
  }).map(e => e.outerHTML.slice(0, 120))"""


def test_a_screen_reader_finds_names_headings_and_landmarks(
    watched: Watched, two_page: Path
) -> None:
    page = watched.open(two_page)
    open_all(page)
    assert page.evaluate(NAMELESS) == []
    levels = page.evaluate(
        "() => [...document.querySelectorAll('h1,h2,h3,h4')].map(h => Number(h.tagName[1]))"
    )
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert page.locator("main").count() == page.locator("header").count() == 1
    assert page.evaluate("document.documentElement.lang") == "en"
    ids = page.evaluate("() => [...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))
    unscoped = page.evaluate("document.querySelectorAll('th:not([scope])').length")
    assert unscoped == 0


CONTRASTS = """() => {
  const parse = (c) => c.match(/[\\d.]+/g).map(Number);
  const lum = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v =>
    v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length < 4 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  const bad = new Set();
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
    if (!own || e.closest('svg, script, style, .unseen, .hidden-char, :disabled')) continue;
    const style = getComputedStyle(e);
    if (!e.checkVisibility() || style.opacity !== '1' || e.closest('.not-yet')) continue;
    const [a, b] = [lum(parse(style.color)), lum(ground(e))].sort((x, y) => y - x);
    const ratio = (a + .05) / (b + .05);
    if (ratio < 4.5) bad.add(`${e.tagName}.${e.className} ${ratio.toFixed(2)}`);
  }
  return [...bad];
}"""


@pytest.mark.parametrize(
    "watched", [{"color_scheme": "light"}, {"color_scheme": "dark"}], indirect=True
)
def test_texts_have_contrast_in_light_and_dark(watched: Watched, two_page: Path) -> None:
    page = watched.open(two_page, fragment("1/3/1/mentor_only/ideal-mentee", run=1))
    open_all(page)
    assert page.evaluate(CONTRASTS) == []


def test_colours_follow_the_system_and_the_button(watched: Watched, one_page: Path) -> None:
    page = watched.open(one_page)

    def ground() -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    light = ground()
    page.emulate_media(color_scheme="dark")
    dark = ground()
    assert light != dark
    button = page.locator("#theme")
    button.click()
    assert button.inner_text() == "Colours: light"
    assert ground() == light
    button.click()
    assert ground() == dark


@pytest.mark.parametrize("watched", [{"viewport": {"width": 375, "height": 700}}], indirect=True)
def test_a_narrow_page_does_not_scroll_sideways(watched: Watched, two_page: Path) -> None:
    page = watched.open(two_page, fragment("1/3/1/mentor_only/ideal-mentee"))
    open_all(page)
    page.evaluate("() => document.querySelectorAll('details').forEach(d => d.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= 375


@pytest.mark.parametrize(
    ("first_asked", "words"),
    [(3, "Question 3/3/0/no_memory"), (4, "No question of this run was asked.")],
)
def test_a_run_that_was_stopped_opens_at_the_first_question_there_is(
    watched: Watched, runs: tuple[Path, Path], tmp_path: Path, first_asked: int, words: str
) -> None:
    run = tmp_path / "run"
    shutil.copytree(runs[0], run)
    change_asked(run, lambda line: [line] if line["dialogue"] >= first_asked else [])
    write_page([run], tmp_path / "page.html")
    page = watched.open(tmp_path / "page.html")
    assert words in page.locator("#status").inner_text()


@pytest.mark.parametrize("watched", [{"viewport": {"width": 375, "height": 700}}], indirect=True)
def test_words_without_end_do_not_widen_the_page(
    watched: Watched, hostile: tuple[Path, Path]
) -> None:
    page = watched.open(hostile[1], fragment("1/3/1/mentor_only/ideal-mentee"))
    page.evaluate("() => document.querySelectorAll('details').forEach(d => d.open = true)")
    assert page.locator("#overview", has_text="E" * 200).count() == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= 375


# ── hostile texts ─────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("hostile")
    run = hostile_run(folder)
    write_page([run], folder / "page.html")
    return run, folder / "page.html"


def test_hostile_texts_are_shown_and_never_run(
    watched: Watched, hostile: tuple[Path, Path]
) -> None:
    run, file = hostile
    page = watched.open(file)
    scripts = page.evaluate("document.scripts.length")
    for record in RunFolder(run).records():
        go(page, record.id)
        open_all(page)
        shown = page.get_by_role("region", name="Prompt").text_content()
        assert shown == find_question(run, record.id).prompt
        assert page.evaluate("window.hacked") is None
        assert page.evaluate("document.scripts.length") == scripts
        assert page.locator("#question img, #question script, #question textarea").count() == 0
    go(page, "1/3/0/full_history/ideal-mentee")
    lines = page.locator(".code code").all_text_contents()
    assert "\n".join(lines) == WHOLE
    codes = page.locator(".code .hidden-char").evaluate_all("all => all.map(e => e.dataset.code)")
    assert codes[:3] == ["U+202E", "U+202C", "U+200F"]
    assert "U+0000" in codes


def test_a_failed_question_says_what_failed(watched: Watched, hostile: tuple[Path, Path]) -> None:
    page = watched.open(hostile[1], fragment("1/3/1/mentor_only/ideal-mentee"))
    alarm = page.locator("#question .alarm").text_content() or ""
    assert "timeout" in alarm
    assert WHOLE in alarm
    assert page.locator("#question .v-not-judged").count() > 0


@pytest.mark.parametrize(
    ("id_", "answer"), [("1/3/1/full_history", LONG), ("1/3/0/mentor_only", ONE_LINE)]
)
def test_a_megabyte_is_cut_and_shown_on_demand(
    watched: Watched, hostile: tuple[Path, Path], id_: str, answer: str
) -> None:
    page = watched.open(hostile[1], fragment(f"{id_}/ideal-mentee"))
    code = page.locator("#answer-title ~ div").first
    assert len(code.text_content() or "") <= 20_000
    page.get_by_role("button", name="Show all").first.click()
    assert (code.text_content() or "").replace("\n", "") == answer.replace("\n", "")


# ── many questions ────────────────────────────────────────────────────────────────────────────


@pytest.mark.skipif(
    not os.environ.get("MEMORYCODE_SLOW"),
    reason="how long it takes depends on what else runs: MEMORYCODE_SLOW is not set",
)
def test_five_thousand_questions_open_in_two_seconds(
    watched: Watched, many_questions: Path, tmp_path: Path
) -> None:
    assert sum(1 for _ in RunFolder(many_questions).records()) > 5_000
    write_page([many_questions], tmp_path / "page.html", workers=1)
    page = watched.open(tmp_path / "page.html")
    assert page.evaluate("performance.getEntriesByName('ready')[0].startTime") < 2_000
    began = page.evaluate("performance.now()")
    go(page, "320/3/1/mentor_only/ideal-mentee")
    assert page.evaluate("performance.now()") - began < 1_000
