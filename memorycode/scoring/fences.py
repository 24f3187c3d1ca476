"""The fenced blocks of a text in Markdown, as language models write it.

More is a fence than in CommonMark: it may be indented, also where it closes, follow text on its
line, have code behind it there, be closed at the end of a line of code, or be opened again before
it was closed. Reading is linear in the text.
"""

from __future__ import annotations

import re
from typing import NamedTuple

MAX_BLOCKS = 1000
_MAX_RUNS = 4 * MAX_BLOCKS
"""Fences and other runs of backticks that are looked at. What follows is text."""

_MAX_BESIDE = 300
"""Characters before or after a fence on its line."""

_BACKTICKS = re.compile(r"```++")
_RUN = re.compile(r"```++|~~~++")
_NOTHING_BEFORE = re.compile(r"[ \t]*(?:(?:[-*+]|\d+[.)])[ \t]+)?\Z")  # or the mark of a list
_TAG = re.compile(r"[ \t]*([^\s`]*)")
_TAG_ALONE = re.compile(r"[ \t]*[\w.+#-]*[ \t]*\Z")


_DEFINITION = (
    r"(?:async[ \t]+)?def[ \t]+\w+[ \t]*\(|class[ \t]+\w+[ \t]*[(:]|import[ \t]+\w|"
    r"from[ \t]+[\w.]+[ \t]+import\b|@\w"
)
_CODE_BEHIND = re.compile(rf"(?i:[ \t]*+(?:(python3?|py)[ \t]++)?)(?={_DEFINITION})")
"""What precedes code on the opening fence's own line."""

_TRIPLE = re.compile(r"\"\"\"|\'\'\'")


class Block(NamedTuple):
    """The code between two fences.

    `tag` is the first word after the opening fence, `fence` where that one starts in the text.
    """

    code: str
    tag: str
    fence: int


class _Fence(NamedTuple):
    """A run of backticks or tildes with what stands beside it on its line."""

    start: int
    mark: str
    before: str
    after: str
    next_line: int

    @property
    def stands_alone(self) -> bool:
        return _NOTHING_BEFORE.match(self.before) is not None

    def may_open(self) -> bool:
        if self.mark[0] == "~":
            return self.stands_alone
        if "`" in self.after:
            return False
        return self.stands_alone or _TAG_ALONE.match(self.after) is not None

    def may_close(self, opening: _Fence, strings: _Strings) -> bool:
        is_fit = self.mark.startswith(opening.mark) and not self.after.strip()
        if not is_fit or self.is_as_deep_as(opening) or self._ends_code():
            return is_fit
        return self.stands_alone and not strings.hold(self.start)

    def _ends_code(self) -> bool:
        return self.mark[0] == "`" and not self.stands_alone

    def reopens(self, opening: _Fence) -> bool:
        """Whether a block starts here although the one before was never closed."""
        if self.mark[0] != opening.mark[0] or not self.after.strip():
            return False
        return self.stands_alone and "`" not in self.after and self.is_as_deep_as(opening)

    def is_as_deep_as(self, opening: _Fence) -> bool:
        """Not so deep that it must be part of a docstring."""
        return self.stands_alone and len(self.before) <= opening.indentation + 3

    @property
    def indentation(self) -> int:
        return len(self.before) if self.stands_alone else 0

    @property
    def tag_and_code(self) -> tuple[str, int]:
        """The first word behind it, and where its code begins in the text: on the next line, or
        already on its own."""
        if found := _CODE_BEHIND.match(self.after):
            return found[1] or "", self.start + len(self.mark) + found.end()
        tag = _TAG.match(self.after)
        return tag[1] if tag else "", self.next_line


class _Strings:
    """Whether a place of a block lies in a string of three quotation marks, such as a docstring;
    asked from left to right, so that each character is looked at once."""

    def __init__(self, text: str, start: int) -> None:
        self._text, self._at, self._mark = text, start, ""

    def hold(self, place: int) -> bool:
        for found in _TRIPLE.finditer(self._text, self._at, place):
            if not self._mark:
                self._mark = found[0]
            elif found[0] == self._mark:
                self._mark = ""
        self._at = max(self._at, place)
        return bool(self._mark)


def blocks_of(text: str) -> list[Block]:
    """The blocks in order; one that is never closed ends with the text. A fence that closes
    what was never opened comes out as an empty block."""
    blocks: list[Block] = []
    opening: _Fence | None = None
    strings = _Strings(text, 0)
    line_read = 0
    runs = _RUN if "~~~" in text else _BACKTICKS  # one prefix is found far faster than two
    for count, run in enumerate(runs.finditer(text)):
        if count == _MAX_RUNS or len(blocks) == MAX_BLOCKS:
            break
        if run.start() < line_read:
            continue
        fence = _fence_at(text, run)
        if opening is None:
            if fence.may_open():
                opening, strings = fence, _Strings(text, fence.next_line)
            elif fence.stands_alone and (block := _block_on_line(fence)):
                blocks.append(block)
                line_read = fence.next_line
        elif fence.may_close(opening, strings):
            blocks.append(_block(text, opening, fence))
            opening = None
        elif fence.reopens(opening):
            blocks.append(_block(text, opening, fence))
            opening, strings = fence, _Strings(text, fence.next_line)
    if opening is not None:
        tag, code = opening.tag_and_code
        blocks.append(Block(text[code:], tag, opening.start))
    return blocks


def _fence_at(text: str, run: re.Match[str]) -> _Fence:
    start, end = run.span()
    line = text.rfind("\n", max(0, start - _MAX_BESIDE), start) + 1
    # A line that started further back has text before the fence, whatever it is.
    before = text[line:start] if line or start <= _MAX_BESIDE else "…"
    line_end = text.find("\n", end, end + _MAX_BESIDE)
    if line_end < 0 and end + _MAX_BESIDE < len(text):
        return _Fence(start, run[0], before, "` too long to be a tag", end)
    line_end = len(text) if line_end < 0 else line_end
    return _Fence(start, run[0], before, text[end:line_end], min(line_end + 1, len(text)))


def _block(text: str, opening: _Fence, closing: _Fence) -> Block:
    end = closing.start - (len(closing.before) if closing.stands_alone else 0)
    tag, code = opening.tag_and_code
    return Block(text[code:end], tag, opening.start)


def _block_on_line(fence: _Fence) -> Block | None:
    """The block of a line such as ```x = 1```."""
    inside = fence.after.rstrip().removesuffix(fence.mark)
    if "`" in inside:
        return None
    tag, space, code = inside.partition(" ")
    if space and tag.lower() in ("python", "py", "python3"):
        return Block(code.strip(), tag, fence.start)
    return Block(inside.strip(), "", fence.start)
