"""Hostile answers and hostile patterns through both scorers: no crash, no warning, no waiting.

Run it as ``python tests/prove/fuzz_scoring.py --seconds 600 [--seed N]``. Answers are recorded ones
cut and glued at random (where ``MEMORYCODE_RELEASE`` names the folder that holds ``outputs``) and
made-up ones; each is judged by both scorers on rules of every kind, some with hostile patterns. It
prints how many were judged, and the worst one with its CPU time; it exits with 1 after a crash, a
warning, or a judgement that took more than a second. The worst answer is kept in a file.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from memorycode.datasets.outputs import load_outputs
from memorycode.dialogue import Setting
from memorycode.protocols import Scorer
from memorycode.rules import CASE_PATTERNS, DIGIT_PATTERN, OBJECT_KINDS, Check, Rule
from memorycode.scoring.official import OfficialScorer
from memorycode.scoring.strict import StrictScorer

LIMIT = 1.0
"""CPU seconds for one answer."""

SETTINGS: tuple[Setting, ...] = ("history", "session", "instruction")
SCORERS: tuple[Scorer, ...] = (OfficialScorer(), StrictScorer())

SNIPPETS = (
    "```", "```python\n", "~~~", "````", "\n```\n", "<think>", "</think>", "\r\n", "\r", "\0",
    "\ud800",
    "\ufeff", "\t", "    ", ">>> ", "... ", "def f(a, *b, c=1, **d):\n", "class A(B):\n", "async ",
    "self.x = 1\n", "try:\n", "except E as e:\n", "assert a\n", "with a as (b, *c):\n",
    "lambda: (y := 1)",
    "[z for z in y]", "match a:\n case {'k': v, **r}:\n", "@retry\n",
    "from secrets import x as y\n",
    "import hashlib.a as b\n", "# note\n", "'''", '"""', "f'{a!r:>{w}}'", "(", ")", "[", "]", "{",
    "}", ":",
    "\\\n", "é", "\u0663", "ﬁ", "²", "𝐀", "\u2028", "\x0c", "a" * 80, "_", "global q\n",
    "type X = int\n",
)  # fmt: skip

HOSTILE_PATTERNS = (
    r"(a+)+$", r"(a|aa)+$", r"(.*)*x$", r"(\w+\s?)+:$", r"(?:a?){40}a{40}$", r"((a*)*)*b",
    r"(a|a?)+$",
    r"(.+)+\1$", r"^(?=(a+))\1*b",
    "(" * 200 + "a" + ")" * 200, "a{1,400}" * 60, "(?:(?:a{99}){99}){99}",
    r"(?i)[\u0000-\U0010ffff]+$", "(", "[", "*", "a" * 100_000, r".*.*.*.*.*.*x", r"(?:(?:)*)*",
    r"\b\B",
    ".*" + "a" * 400 + "$", "[[a]+", r"\Z", "", "^", "$", r"(\w)*\1{5}$", r"(?P<n>\w+)(?P=n)+$",
    r"(?<!a)b*",
    "(?:a|b|c|d)*" * 20 + "e", "(x+x+)+y", r"(?:.*a){12}", r"(?:.*\w){30}!",
)  # fmt: skip

CHECKS: tuple[Check, ...] = (
    True, False, ("retry", True), ("secrets", True), ("a.b", False), "^x_.*", ".*_x$", ".*chx.*",
    DIGIT_PATTERN, *CASE_PATTERNS.values(),
)  # fmt: skip


@dataclass
class Worst:
    seconds: float = 0.0
    answer: str = ""
    scorer: str = ""
    rules: Sequence[Rule] = ()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("error")
    rng = random.Random(options.seed)
    corpus = recorded_answers()
    worst, count = Worst(), 0
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        answer, rules = make_answer(rng, corpus), make_rules(rng)
        for scorer in SCORERS:
            judge(scorer, answer, rules, worst)
        count += 1
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"fuzz_scoring: seed {options.seed}: {count} answers judged by both scorers, no crash; "
        f"worst {worst.seconds:.3f} s of CPU ({worst.scorer}, {len(worst.answer)} characters, "
        f"{len(worst.rules)} rules: {keep(worst)}); peak memory {peak:.0f} MB"
    )
    if worst.seconds > LIMIT:
        sys.exit(1)


def judge(scorer: Scorer, answer: str, rules: Sequence[Rule], worst: Worst) -> None:
    elicited = [number % 2 == 0 for number in range(len(rules))]
    start = time.process_time()
    try:
        verdicts = scorer.judge(answer, rules, elicited)
        assert len(verdicts) == len(rules)
    except Exception:
        print(f"fuzz_scoring: {scorer.name} crashed on {keep(Worst(0.0, answer, '', rules))}")
        raise
    seconds = time.process_time() - start
    if seconds > worst.seconds:
        worst.seconds, worst.answer, worst.scorer, worst.rules = (
            seconds, answer, scorer.name, rules,
        )  # fmt: skip


def keep(worst: Worst) -> Path:
    """Write the input to a file as JSON."""
    file = Path(tempfile.gettempdir()) / f"fuzz_scoring_worst_{os.getpid()}.json"
    rules = [rule.model_dump(mode="json") for rule in worst.rules]
    file.write_text(json.dumps({"answer": worst.answer, "rules": rules}), encoding="utf-8")
    return file


def recorded_answers() -> list[str]:
    named = os.environ.get("MEMORYCODE_RELEASE")
    if not named:
        return []
    folder = min((Path(named) / "outputs").iterdir())
    return [
        answer
        for recorded in load_outputs(folder).values()
        for session in range(len(recorded.sessions))
        for setting in SETTINGS
        for answer in recorded.answers(setting, session)[:1]
    ]


# ── rules ───────────────────────────────────────────────────────────────────────────────────────


def make_rules(rng: random.Random) -> list[Rule]:
    count = rng.choice((1, 8, 30, 100))
    return [Rule(object=rng.choice(OBJECT_KINDS), check=make_check(rng)) for _ in range(count)]


def make_check(rng: random.Random) -> Check:
    kind = rng.random()
    if kind < 0.5:
        return rng.choice(CHECKS)
    if kind < 0.8:
        return rng.choice(HOSTILE_PATTERNS)
    parts = (
        "a",
        "x",
        ".",
        r"\w",
        r"\d",
        "*",
        "+",
        "?",
        "|",
        "(",
        ")",
        "[ab]",
        "{2,9}",
        "^",
        "$",
        r"\1",
    )
    return "".join(rng.choices(parts, k=rng.randrange(1, 25)))


# ── answers ─────────────────────────────────────────────────────────────────────────────────────


def make_answer(rng: random.Random, corpus: Sequence[str]) -> str:
    if corpus and rng.random() < 0.6:
        return mutated(rng, rng.choice(corpus), corpus)
    return rng.choice(MAKERS)(rng)


def mutated(rng: random.Random, answer: str, corpus: Sequence[str]) -> str:
    for _ in range(rng.randrange(1, 6)):
        at = rng.randrange(len(answer) + 1)
        until = min(len(answer), at + rng.randrange(40))
        match rng.randrange(5):
            case 0:
                answer = answer[:at] + rng.choice(SNIPPETS) + answer[at:]
            case 1:
                answer = answer[:at] + answer[until:]
            case 2:
                answer = answer[:at] + answer[at:until] * rng.choice((2, 50, 2000)) + answer[until:]
            case 3:
                answer = answer[:at] + rng.choice(corpus)[rng.randrange(200) :]
            case _:
                answer = answer.replace("\n", rng.choice(("\r\n", "\r", "\n\n")), rng.randrange(20))
    return answer


def snippets(rng: random.Random) -> str:
    return "".join(rng.choices(SNIPPETS, k=rng.randrange(1, 60)))


def repeated_snippets(rng: random.Random) -> str:
    part = "".join(rng.choices(SNIPPETS, k=rng.randrange(1, 4)))
    size = rng.choice((1_000, 20_000, 100_000, 2_000_000, 10_000_000))
    return fenced(rng, part * (size // len(part)))


def nested(rng: random.Random) -> str:
    opening, middle, closing = rng.choice(
        [
            ("(", "1", ")"), ("[", "", "]"), ("{", "", "}"), ("f(", "", ")"), ("-", "1", ""),
            ("a.", "b", ""), ("a[", "0", "]"), ("lambda:", "0", ""), ("not ", "a",
            ""), ("if a:\n ", "b", ""),
            ("x = ", "1", ""), ("a if b else ", "c", ""), ("a + ", "b", ""), ("*", "a",
            ""), ("f'{", "a", "}'"),
            ("@", "a", "\ndef f(): pass"), ("[y for y in ", "z", "]"), ("(w := ", "1",
            ")"), ("'a' ", "'b'", ""),
            ("elif a:\n pass\n", "", ""), ("a.b(", "c", ").d"), ("r = q; ", "pass",
            ""), ("async ", "", ""),
        ]
    )  # fmt: skip
    depth = rng.choice((50, 90, 900, 10_000, 300_000))
    prefix = rng.choice(("", "x = ", "def f():\n  return ", "if a:\n pass\n", "class A:\n x = "))
    return fenced(rng, prefix + opening * depth + middle + closing * depth)


def many_names(rng: random.Random) -> str:
    count = rng.choice((10, 1_000, 6_000, 30_000))
    line = rng.choice(
        ("x{n} = 1\n", "def f{n}(): 0\n", "class C{n}: 0\n", "import m{n}\n", "a{n}, ",
        "x{n} = x{m}\n",
         "@d{n}\ndef f(): 0\n", "[y{n} for y{n} in z]\n", "# {n}\n", "f({n})\n",
         "for x{n} in y: 0\n")
    )  # fmt: skip
    return fenced(rng, "".join(line.format(n=n, m=n + 1) for n in range(count)))


def long_name(rng: random.Random) -> str:
    letters = rng.choice(("a", "A", "Aa0", "x_", "a1", "chx", "\u0663é", "_", "É"))
    name = "A" + letters * rng.choice((20, 300, 20_000, 900_000)) + rng.choice(("", "_", "b"))
    form = rng.choice(
        (
            "class {n}: pass",
            "{n} = 1",
            "def {n}(): '{n}'",
            "def f({n}): pass",
            "import {n}",
            "# {n}",
        )
    )
    return fenced(rng, form.format(n=name))


def many_long_names(rng: random.Random) -> str:
    size = rng.choice((25, 60, 300))
    names = [f"{'a' * size}{number}b" for number in range(rng.choice((10, 100, 2_000)))]
    return fenced(rng, "\n".join(f"def {name}({name}): {name} = 1" for name in names))


def fences(rng: random.Random) -> str:
    parts = [
        "```",
        "~~~",
        "````",
        "```python\n",
        "\n```\n",
        "x = 1\n",
        " ",
        "\n",
        "`",
        "a```",
        "```b```",
        "def f(:\n",
    ]
    chosen = rng.choices(parts, k=rng.randrange(1, 6))
    return "".join(chosen) * rng.choice((1, 10, 5_000, 500_000))


def fenced(rng: random.Random, code: str) -> str:
    form = rng.choice(
        ("{}", "```python\n{}\n```", "```\n{}", "~~~py\n{}\n~~~", "  ```python\n  {}\n  ```")
    )
    return form.replace("{}", code)


MAKERS: tuple[Callable[[random.Random], str], ...] = (
    snippets, repeated_snippets, nested, many_names, long_name, many_long_names, fences,
)  # fmt: skip


if __name__ == "__main__":
    main()
