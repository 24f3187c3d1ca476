"""What scorers and the reader of rules say of fixed answers and texts, as one hash each.

``python -m tests.golden.revisions`` writes the hashes down, after the revision was raised.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from memorycode.dialogue import Speakers
from memorycode.protocols import RuleReader, Scorer
from memorycode.rules import Rule
from memorycode.scoring.rule_cache import WordingReader
from memorycode.scoring.scorers import SCORER_NAMES, make_scorer

FOLDER = Path(__file__).parent
FILE = FOLDER / "verdicts.json"

_CHECKS: tuple[tuple[str, Any], ...] = (
    ("function", "^q_.*"),
    ("function", r".*\d$"),
    ("function argument", ".*_arg$"),
    ("variable", "^[a-z]+$"),
    ("class", ".*Box$"),
    ("method", "^do_.*"),
    ("attribute", ".*[0-9].*"),
    ("function docstring", True),
    ("method docstring", False),
    ("function try", True),
    ("method assert", True),
    ("function annotation", True),
    ("method annotation", False),
    ("function decorator", ("lru_cache", True)),
    ("method decorator", ("retry", False)),
    ("class decorator", ("dataclass", True)),
    ("import", ("collections", True)),
    ("import", ("pickle", False)),
    ("comment", True),
    ("comment", False),
)

_PIECES = (
    "import collections",
    "from pickle import loads as read",
    "# a remark",
    "@lru_cache\ndef {name}({argument}):\n    return {argument}",
    "def {name}({argument}: int) -> int:\n    '''Add one.'''\n    try:\n"
    "        return {argument} + 1\n    except TypeError:\n        return 0",
    "async def {name}(*, {argument}=1):\n    assert {argument}\n    await {argument}",
    "@dataclass\nclass {title}Box:\n    {name}: int = 1\n\n"
    "    @retry(3)\n    def do_{name}(self):\n        self.{argument} = self.{name}2 = 3",
    "class {title}:\n    '''A class.'''\n\n    def __init__(self, {argument}):\n"
    "        self.{argument} = {argument}  # kept",
    "{name} = [{argument} for {argument} in range(3)]\nprint({name})",
    "def {name}(:\n    return",
)
"""What answers are put together from; the last does not parse."""

_SENTENCES = (
    "Always start {kind} names with '{value}'.",
    "From now on, end {kind} names with '{value}' instead of 'old_'.",
    "Please do not write docstrings in your {kind}s any more.",
    "Remember to import {value}, whether you need it or not.",
    "I would like to see a '{value}' decorator on each {kind}.",
    "Your {kind} names have to contain a digit, please.",
    "Use a try statement in every {kind}, and no assert.",
    "The {value} printer is out of paper again, never mind the {kind}.",
)


SPEAKERS = Speakers(mentor="Noor", mentee="Eli")


def answers() -> Iterator[str]:
    """Whole answers, some in fences, some with words around them."""
    rng = random.Random(11)
    for number in range(400):
        pieces = rng.sample(_PIECES[:-1], rng.randint(1, 4))
        if number % 10 == 0:
            pieces.append(_PIECES[-1])
        code = "\n\n".join(pieces).format(
            name=rng.choice(("q_add", "add2", "merge", "_hidden")),
            argument=rng.choice(("first_arg", "x", "item9")),
            title=rng.choice(("Card", "Jar")),
        )
        yield rng.choice(("{}", "```python\n{}\n```", "Here it is:\n\n```\n{}\n```\nDone.")).format(
            code
        )


def texts() -> Iterator[str]:
    """Short transcripts of a mentor called Noor."""
    rng = random.Random(12)
    for _ in range(300):
        said = " ".join(rng.choice(_SENTENCES) for _ in range(rng.randint(1, 3))).format(
            kind=rng.choice(("function", "variable", "class", "method", "attribute")),
            value=rng.choice(("new_", "_v2", "heapq", "cache", "Z")),
        )
        yield f"Noor: Good morning. {said}\n\nEli: {rng.choice(('Noted.', 'Understood, new_.'))}"


def rules() -> tuple[Rule, ...]:
    return tuple(Rule.model_validate({"object": kind, "check": check}) for kind, check in _CHECKS)


def verdicts_hash(scorer: Scorer) -> str:
    """Of the cases in rule_cases.json and of the answers, each judged by every rule."""
    said: list[Any] = []
    for case in json.loads((FOLDER / "rule_cases.json").read_text(encoding="utf-8")):
        rule = Rule.model_validate({"object": case["object"], "check": case["rule"]})
        said += [scorer.judge(case["output"], [rule], [elicited]) for elicited in (False, True)]
    asked = rules()
    for number, answer in enumerate(answers()):
        said.append(scorer.judge(answer, asked, [number % 2 == 0] * len(asked)))
    return _hash(said)


def readings_hash(reader: RuleReader) -> str:
    """Of the rules that the texts state, in order."""
    return _hash(
        [
            [(rule.object, rule.check) for rule in reader.rules_in(text, SPEAKERS)]
            for text in texts()
        ]
    )


def _hash(said: Sequence[Any]) -> str:
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def current() -> dict[str, dict[str, Any]]:
    """By scorer and reader, the revision and the hash, as they are now."""
    scorers = map(make_scorer, SCORER_NAMES)
    found = {s.name: {"revision": s.revision, "sha256": verdicts_hash(s)} for s in scorers}
    reader = WordingReader()
    return found | {
        reader.name: {"revision": reader.revision, "sha256": readings_hash(reader)},
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps(current(), indent=2) + "\n", encoding="utf-8")
