"""The words that rules are made of: a sentence as tokens with the part each word plays.

Values are open: a value is recognised by its quotes, its underscore or its ``@``, never by a list.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Part = Literal[
    "object",  # function, method, class …; value: the kind of object
    "name",  # name, names, naming
    "value",  # a quoted text or a bare affix; value: the text without its quotes
    "decorator",  # @retry; value: the name
    "statement",  # `import json`; value: the module
    "prefix",  # start, begin, prefix …
    "suffix",  # end, suffix, append …
    "contains",  # include, contain …
    "text",  # string, substring …
    "verb",  # add, use … : a verb that leaves open where
    "digit",
    "case",  # value: upper, camel, snake
    "concept",  # value: annotation, try, assert, docstring
    "comment",
    "import",
    "module",
    "word",
    "stop",  # punctuation
]


class Token(NamedTuple):
    """One word, or a few that belong together; offsets into the sentence."""

    part: Part
    value: str
    start: int
    end: int
    named: bool = False
    """For objects: its *name* is spoken of."""


_OBJECTS = {
    "function": "function functions",
    "method": "method methods",
    "class": "class classes",
    "attribute": "attribute attributes",
    "variable": "variable variables",
    "function argument": "argument arguments parameter parameters arg args param params",
}
_PARTS: tuple[tuple[Part, str, str], ...] = (
    ("name", "", "name names naming named identifier identifiers"),
    (
        "prefix",
        "",
        "start starts starting started begin begins beginning begun prefix prefixes prefixed "
        "prefixing prepend prepends prepended prepending precede preceded preceding preface "
        "prefaced prefacing leading",
    ),
    (
        "suffix",
        "",
        "end ends ending ended suffix suffixes suffixed suffixing append appends appended "
        "appending postfix finish finishes finishing terminate terminates conclude trailing",
    ),
    (
        "contains",
        "",
        "include includes including included inclusion contain contains containing incorporate "
        "incorporates incorporating embed embeds embedding insert inserting feature featuring",
    ),
    ("text", "", "string strings substring sequence text characters letters tag keyword marker"),
    (
        "verb",
        "",
        "add adds adding use uses using used put putting place placing attach attaching employ "
        "adopt adopting change changing switch switching update updating have has having utilize "
        "utilizing apply applying give get gets carry carries take receive make prefer with "
        "follow following",
    ),
    ("digit", "", "digit digits single-digit numeral number"),
    ("case", "upper", "uppercase upper-case caps capitals all-caps"),
    ("case", "camel", "camelcase camel-case camelcased pascalcase capwords uppercamelcase"),
    ("case", "snake", "snake_case snakecase snake-case"),
    (
        "concept",
        "annotation",
        "annotation annotations annotate annotated annotating type-hint type-hints type-hinting "
        "typehints",
    ),
    ("concept", "try", "try-except try-catch try/except try/catch try-blocks try-statements"),
    ("concept", "assert", "assertion assertions assert asserts"),
    ("concept", "docstring", "docstring docstrings doc-string doc-strings"),
    ("comment", "", "comment comments commenting commented well-commented"),
    ("import", "", "import imports importing imported"),
    ("module", "", "module modules library libraries package"),
)
_WORDS: dict[str, tuple[Part, str]] = {
    **{word: ("object", kind) for kind, words in _OBJECTS.items() for word in words.split()},
    **{word: (part, value) for part, value, words in _PARTS for word in words.split()},
}
_PAIRS: dict[str, tuple[Part, str]] = {
    **dict.fromkeys(
        ("type hint", "type hints", "type hinting", "type annotation", "type annotations"),
        ("concept", "annotation"),
    ),
    **dict.fromkeys(("doc string", "doc strings"), ("concept", "docstring")),
    **dict.fromkeys(
        ("upper case", "capital letters", "block capitals", "capitalize every", "capitalize all",
         "capitalise every", "capitalise all"),
        ("case", "upper"),
    ),
    **dict.fromkeys(("camel case", "pascal case"), ("case", "camel")),
    "snake case": ("case", "snake"),
}  # fmt: skip

_TRY_NOUNS = frozenset(
    "statement statements block blocks except catch except-block except-blocks clause clauses "
    "construct constructs structure structures and/except".split()
)
_HOLDERS = frozenset({"class", "instance", "object", "member", "static"})

_LEX = re.compile(
    r"(?P<statement>['\"`‘“](?:import|from)[ ][\w.]{1,60}(?:[ ]import[ ][\w.*]{1,60})?['\"`’”])"
    r"|(?P<decorator>['\"`‘“]{0,3}@[A-Za-z_][\w.]{0,60}(?:\([^()\n]{0,30}\))?['\"`’”]{0,3})"
    r"|(?P<quoted>(?<!\w)['\"`‘“]{1,3}[^\s'\"`‘’“”]{1,40}['\"`’”]{1,3})"
    r"|(?P<word>\w+(?:[-'’/]\w+)*)"
    r"|(?P<stop>[,;:()—–&+|]|\s-\s)"
)
_QUOTES = "'\"`‘’“”"
_AFFIX = re.compile(r"_{1,2}[A-Za-z0-9]\w{0,30}\Z|[A-Za-z0-9]\w{0,30}_\Z")
_TRIM = ".,;:!?…*"


def tokens_of(sentence: str) -> list[Token]:
    """The sentence as tokens; compounds such as *function argument names* are one token."""
    return _compounds([_token(match) for match in _LEX.finditer(sentence)])


def _token(match: re.Match[str]) -> Token:
    text, (start, end) = match[0], match.span()
    if match.lastgroup == "word":
        word = text.lower().replace("’", "'")
        part, value = _WORDS.get(word) or ("word", word)
        if part == "word" and _AFFIX.match(text):
            return Token("value", text, start, end)
        if part == "word" and word.endswith("'s"):
            part, value = _WORDS.get(word[:-2], (part, value))
        return Token(part, value or word, start, end)
    if match.lastgroup == "decorator":
        return Token("decorator", text.strip(_QUOTES)[1:].partition("(")[0].rstrip("."), start, end)
    if match.lastgroup == "statement":
        return Token("statement", text.strip(_QUOTES).split()[1], start, end)
    if match.lastgroup == "quoted":
        return _quoted(text, start, end)
    return Token("stop", text.strip(), start, end)


def _quoted(text: str, start: int, end: int) -> Token:
    value = text.strip(_QUOTES).strip(_TRIM)
    known = _WORDS.get(value.lower())
    if known and known[0] in ("case", "concept"):
        return Token(known[0], known[1], start, end)
    return Token("value", value, start, end)


def _compounds(tokens: list[Token]) -> list[Token]:
    merged: list[Token] = []
    at = 0
    while at < len(tokens):
        token, taken = _compound(tokens, at)
        merged.append(token)
        at += taken
    return merged


def _compound(tokens: list[Token], at: int) -> tuple[Token, int]:
    """The token at `at` and how many tokens of the raw sentence it takes."""
    token = tokens[at]
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    if following is None:
        return token, 1
    if following.value in ("decorator", "decorators") and _names_decorator(tokens, at):
        return Token("decorator", token.value, token.start, token.end), 1
    if token.part == "object" or token.value in _HOLDERS:
        return _object(tokens, at)
    if token.value in ("try", "try-except"):
        return _try(tokens, at)
    pair = _PAIRS.get(f"{token.value} {following.value}")
    if pair:
        return Token(pair[0], pair[1], token.start, following.end), 2
    return token, 1


def _names_decorator(tokens: list[Token], at: int) -> bool:
    """*the 'cached' decorator*, *the log_calls decorator*, *the cached decorator from …*."""
    token = tokens[at]
    if token.part == "value":
        return token.value.isidentifier()
    sourced = at + 2 < len(tokens) and tokens[at + 2].value == "from"
    the = at > 0 and tokens[at - 1].value == "the"
    plain = token.part == "word" and token.value not in ("same", "following", "right", "new")
    return the and plain and (sourced or "_" in token.value)


def _object(tokens: list[Token], at: int) -> tuple[Token, int]:
    """An object with what belongs to it: *class attribute*, *function argument names*."""
    first, last = tokens[at], at
    kind = first.value if first.part == "object" else ""
    while last + 1 < len(tokens):
        follower = tokens[last + 1]
        if follower.part != "object" or not _joins(kind or first.value, follower.value):
            break
        kind = _joined(kind or first.value, follower.value)
        last += 1
    if not kind:
        return first, 1
    named = last + 1 < len(tokens) and tokens[last + 1].part == "name"
    last += named
    return Token("object", kind, first.start, tokens[last].end, named), last - at + 1


def _joins(holder: str, part: str) -> bool:
    if holder == "function argument":
        return part == "variable"
    if part == "function argument":
        return holder in ("function", "method")
    return holder in _HOLDERS and part in ("attribute", "variable", "method", "function")


def _joined(holder: str, part: str) -> str:
    if "function argument" in (holder, part):
        return "function argument"
    if part == "function":
        return "method"
    return "attribute" if part == "variable" else part


def _try(tokens: list[Token], at: int) -> tuple[Token, int]:
    """*try statements*, *try-except blocks*, *try and except*; a bare *try* is a verb."""
    last = at
    while last + 1 < len(tokens) and tokens[last + 1].value in _TRY_NOUNS | {"and", "/"}:
        last += 1
    if last > at and tokens[last].value == "and":
        last -= 1
    if last == at and tokens[at].part != "concept":
        return tokens[at], 1
    return Token("concept", "try", tokens[at].start, tokens[last].end), last - at + 1
