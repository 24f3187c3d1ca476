"""Comments are comment tokens; a hash elsewhere is none."""

from __future__ import annotations

import pytest

from memorycode.scoring.comments import comments_of, has_comment


@pytest.mark.parametrize(
    ("code", "comments"),
    [
        ("", ()),
        ("x = 1", ()),
        ("x = 1  # a\n#b\n", ("# a", "#b")),
        ("x = '# no'  # yes", ("# yes",)),
        ('"""\n# no\n"""', ()),
        ("f(  # a\n  1,\n  # b\n)", ("# a", "# b")),
        ("#!/usr/bin/env python\n# -*- coding: latin-1 -*-", None),
        ("if a:\n  b\n # odd indentation\nc", ("# odd indentation",)),
        ("x = 1 # no line end", ("# no line end",)),
        ("x = 1\x0c# after a form feed", ("# after a form feed",)),
        ("'\\\n# no'", ()),
    ],
)
def test_comments(code: str, comments: tuple[str, ...] | None) -> None:
    found = comments_of(code)
    assert found == (tuple(code.split("\n")) if comments is None else comments)
    assert has_comment(code) is bool(found)


@pytest.mark.parametrize("code", ["# a\n(", "# a\n'''", "# a\n  b\n c", "# a\n\0", "# a\n$ ? `"])
def test_where_the_tokenizer_gives_up_what_it_found_counts(code: str) -> None:
    assert comments_of(code)[:1] in [("# a",), ()]  # which of them differs between versions


@pytest.mark.parametrize(
    "code", ["'''\n" + "a\n" * 500_000 + "'''#", "x;" * 25_000 + "#", "#\n" * 25_000]
)
def test_long_code_is_no_reason_to_wait(code: str) -> None:
    assert has_comment(code)
