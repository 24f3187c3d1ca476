"""From an answer to the code in it, however it is wrapped: for the strict scorer.

All the Python of an answer counts, so its blocks are read as one module. Where they do not parse
together, those that parse by themselves are the answer; where none does, it is unparsable.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memorycode.messages import without_half_pairs
from memorycode.scoring.fences import Block, blocks_of
from memorycode.scoring.parsing import parse
from memorycode.scoring.reasoning import without_reasoning

MOST_TRIED = 100_000
"""Characters that are parsed in vain before an answer counts as unparsable."""


class Code(NamedTuple):
    """Code and its syntax tree."""

    text: str
    tree: ast.Module


_PYTHON = re.compile(
    r"(?i)[{.\s]*(?:language-)?(?:i?python|py|pycon|pyi)(?:[\d.]+|-?repl|-?console)?(?![\w.-])|.*\.py\b"
)
_DEFINES = re.compile(r"^[ \t]*+(?:async[ \t]+def|def|class|import|from|@)\b", re.MULTILINE)
_INDENTED = re.compile(r"(?:[ \t]*+\n)*+([ \t]++)\S")
_PROMPT = re.compile(r"^(?:>>>|\.\.\.)(?: (.*))?$", re.MULTILINE)
_QUOTED_FENCE = re.compile(r"^[ \t]{0,3}>[ \t]?(?:```|~~~)", re.MULTILINE)
_QUOTE = re.compile(r"^[ \t]{0,3}>(?!>) ?", re.MULTILINE)
_END_TOKEN = re.compile(r"(?:<\|\w{1,30}\|>|</s>|<end_of_turn>)\Z")
_MOST_END_TOKENS = 10


def read_code(answer: str) -> Code | None:
    """The code of an answer with its tree; None where there is none that parses."""
    tried = 0
    for code in _readings(without_reasoning(plain_text(answer))):
        tree = parse(code)
        if tree is not None:
            return Code(code, tree)
        tried += len(code)
        if tried > MOST_TRIED:
            break
    return None


def plain_text(answer: str) -> str:
    """The answer as code is looked for in it, line by line: in characters that UTF-8 has, lines
    ended by ``\\n`` alone, without a quote's marks before fences and without end-of-turn tokens."""
    text = without_half_pairs(answer).removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _without_end_tokens(text)
    return _QUOTE.sub("", text) if _QUOTED_FENCE.search(text) else text


def _without_end_tokens(text: str) -> str:
    """Without what a model's template ends a turn by, and small servers do not take away."""
    for _ in range(_MOST_END_TOKENS):
        stripped = text.rstrip()
        found = _END_TOKEN.search(stripped, max(0, len(stripped) - 40))
        if found is None:
            break
        text = stripped[: found.start()]
    return text


def _readings(text: str) -> Iterator[str]:
    """What the code may be, likeliest first."""
    blocks = blocks_of(text)
    before_fence = text[: blocks[0].fence] if blocks else text
    filled = [block for block in blocks if block.code.strip()]
    is_bare = not filled or _DEFINES.search(before_fence) is not None
    if is_bare:  # a fence, if any, stands in a docstring, or ends the code
        yield text
    if filled:
        parts = [_plain(block.code) for block in _python(filled)]
        yield _together(parts)
        yield from _parsable(parts)
    if is_bare:
        yield _plain(before_fence)


def _python(blocks: Sequence[Block]) -> Sequence[Block]:
    """The blocks that are Python by their tag, or by what an untagged one holds; without any,
    the untagged ones; without these, all."""
    tagged_or_code = [
        block
        for block in blocks
        if (_PYTHON.match(block.tag) if block.tag else _DEFINES.search(block.code))
    ]
    return tagged_or_code or [block for block in blocks if not block.tag] or blocks


def _together(parts: Sequence[str]) -> str:
    if len(parts) == 1:
        return parts[0]
    return "".join(part if part.endswith("\n") else f"{part}\n" for part in parts)


def _parsable(parts: Sequence[str]) -> Iterator[str]:
    if len(parts) > 1:
        alone = [part for part in parts if part.strip() and parse(part) is not None]
        if alone:
            yield _together(alone)


def _plain(code: str) -> str:
    """Without the indentation of its first line, and without the prompts of a console session."""
    if indented := _INDENTED.match(code):
        code = re.sub(rf"^[ \t]{{1,{len(indented[1])}}}", "", code, flags=re.MULTILINE)
    if code.lstrip("\n").startswith(">>>"):
        return "".join(f"{line or ''}\n" for line in _PROMPT.findall(code))
    return code
