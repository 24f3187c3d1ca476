"""Where the strict scorer departs from the paper's, verdict by verdict: the tables in docs/scorers.md.

Run it as ``python tests/prove/compare_scorers.py``; the environment variable ``MEMORYCODE_RELEASE``
names the folder that holds ``dataset`` and ``outputs``. From the official verdict to the strict one
it goes in four steps, so that each change has one cause and the causes add up:

* objects: the same code, all its objects instead of those that the paper's evaluator sees;
* meaning: what a rule on names means instead of the pattern that the release has for it;
* extraction: all the code of the answer instead of its first block;
* elicited: an absent object is a violation where the question calls for it.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

from memorycode.datasets import load_dataset
from memorycode.datasets.outputs import read_outputs
from memorycode.dialogue import Dialogue, Setting
from memorycode.protocols import Verdict
from memorycode.rules import Rule
from memorycode.running.plan import Question, plan_episodes
from memorycode.scoring import name_checks
from memorycode.scoring.answer_code import Code
from memorycode.scoring.code_objects import collect
from memorycode.scoring.extraction import extract_code
from memorycode.scoring.official import OfficialScorer
from memorycode.scoring.parsing import parse
from memorycode.scoring.strict import StrictScorer, judge_objects

SETTINGS: tuple[Setting, ...] = ("history", "session", "instruction")
STEPS = ("objects", "meaning", "extraction", "elicited")

Asked = tuple[Question, str]


def main() -> None:
    named = os.environ.get("MEMORYCODE_RELEASE")
    if not named:
        sys.exit("compare_scorers: set MEMORYCODE_RELEASE to the folder with dataset/ and outputs/")
    release = Path(named)
    dialogues = load_dataset(release / "dataset")
    moved: Counter[tuple[str, str, Verdict, Verdict]] = Counter()
    for folder in sorted((release / "outputs").iterdir()):
        verdicts = Counter[tuple[Verdict, Verdict]]()
        for question, answer in asked(dialogues, folder):
            steps = [list(step) for step in verdicts_by_step(question, answer)]
            verdicts.update(zip(steps[0], steps[-1], strict=True))
            for step, before, after in zip(STEPS, steps, steps[1:], strict=False):
                for rule, old, new in zip(question.rules, before, after, strict=True):
                    if old != new:
                        moved[step, what(rule), old, new] += 1
        print_moves(folder.name, verdicts)
    print_steps(moved)


def asked(dialogues: tuple[Dialogue, ...], folder: Path) -> Iterator[Asked]:
    outputs = read_outputs(folder)
    for dialogue in dialogues:
        for setting in SETTINGS:
            for episode in plan_episodes(dialogue, setting, "last"):
                for question in episode.all_questions:
                    answers = outputs[dialogue.number].answers(setting, question.session)
                    yield question, answers[question.number]


def verdicts_by_step(question: Question, answer: str) -> Iterator[list[Verdict]]:
    rules = question.rules
    elsewhere = [False] * len(rules)
    yield OfficialScorer().judge(answer, rules, question.elicited)
    with patch.object(name_checks, "_meaning", lambda check: None):
        yield on_official_code(answer, rules)
    yield on_official_code(answer, rules)
    yield StrictScorer().judge(answer, rules, elsewhere)
    yield StrictScorer().judge(answer, rules, question.elicited)


def on_official_code(answer: str, rules: tuple[Rule, ...]) -> list[Verdict]:
    code = extract_code(answer).replace("\r\n", "\n").replace("\r", "\n")
    tree = parse(code)
    return judge_objects(None if tree is None else collect(Code(code, tree)), rules)


def what(rule: Rule) -> str:
    constraint = rule.constraint
    detail = f" {constraint.value}" if constraint.kind == "case" else ""
    return f"{rule.object}: {constraint.kind}{detail}"


def print_moves(model: str, verdicts: Counter[tuple[Verdict, Verdict]]) -> None:
    moved = sum(count for (old, new), count in verdicts.items() if old != new)
    print(f"{model}: {moved} of {verdicts.total()} verdicts move")
    for (old, new), count in verdicts.most_common():
        if old != new:
            print(f"  {count:6}  {old} -> {new}")


def print_steps(moved: Counter[tuple[str, str, Verdict, Verdict]]) -> None:
    for step in STEPS:
        rows = {key: count for key, count in moved.items() if key[0] == step}
        print(f"\n{step}: {sum(rows.values())} moves, all models together")
        for (_, rule, old, new), count in sorted(rows.items(), key=lambda row: -row[1]):
            print(f"  {count:6}  {old:10} -> {new:10}  {rule}")


if __name__ == "__main__":
    main()
