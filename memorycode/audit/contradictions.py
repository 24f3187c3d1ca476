"""What can be found without reading: fields that contradict one another, and repetitions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from memorycode.audit.problem import Problem, ProblemKind, rule_words
from memorycode.datasets.release import dump_dialogue
from memorycode.dialogue import Dialogue, Instruction, Session
from memorycode.rules import Rule
from memorycode.scoring.rule_cache import cached_rules


def field_problems(dialogue: Dialogue) -> Iterator[Problem]:
    """Contradictions within one dialogue, and questions that its families share."""
    versions: dict[int, int] = {}
    fillers: set[int] = set()
    for session in dialogue.sessions:
        for detail in (
            *_filler_faults(session, fillers),
            *_instruction_faults(session, versions),
        ):
            yield _problem(dialogue, session.index, "contradiction", detail)
        fillers.add(session.filler)
        versions |= {i.family: i.version for i in session.instructions}
    for detail in _history_faults(dialogue):
        yield _problem(dialogue, dialogue.last, "contradiction", detail)
    for detail in _shared_questions(dialogue.active_instructions(dialogue.last)):
        yield _problem(dialogue, None, "shared_question", detail)


def version_problems(dialogues: Sequence[Dialogue]) -> Iterator[Problem]:
    """Instructions whose family and version had another check where they were told first."""
    first: dict[tuple[int, int], tuple[Rule, int]] = {}
    for dialogue in dialogues:
        for session in dialogue.sessions:
            for told in session.instructions:
                key = told.family, told.version
                rule, number = first.setdefault(key, (told.rule, dialogue.number))
                if rule != told.rule:
                    detail = (
                        f"family {told.family} version {told.version} is {rule_words(told.rule)}, "
                        f"but {rule_words(rule)} in dialogue {number}"
                    )
                    yield _problem(dialogue, session.index, "contradiction", detail)


def duplicate_problems(dialogues: Sequence[Dialogue]) -> Iterator[Problem]:
    """Dialogues that stand in the data set twice, and texts that do elsewhere."""
    known: dict[str, int] = {}
    texts: dict[str, tuple[int, int]] = {}
    for dialogue in dialogues:
        content = json.dumps(dump_dialogue(dialogue), sort_keys=True)
        same = known.setdefault(content, dialogue.number)
        if same != dialogue.number:
            yield _problem(dialogue, None, "duplicate", f"the same as dialogue {same}")
            continue
        for session in dialogue.sessions:
            text = session.text.strip()
            here = dialogue.number, session.index
            there = texts.setdefault(text, here) if text else here
            if there != here:
                detail = f"the text of dialogue {there[0]} session {there[1]}"
                yield _problem(dialogue, session.index, "duplicate", detail)


def _problem(dialogue: Dialogue, session: int | None, kind: ProblemKind, detail: str) -> Problem:
    return Problem(dialogue=dialogue.number, session=session, kind=kind, detail=detail)


def _filler_faults(session: Session, told: set[int]) -> Iterator[str]:
    types = [kind for kind in session.types if kind.startswith("filler")]
    if bool(types) != (session.filler >= 0):
        yield f"filler {session.filler}, but its types are {', '.join(types) or 'none'}"
    for kind in types:
        if kind.endswith("-add") and session.filler in told:
            yield f"{kind} of filler {session.filler}, which was told before"
        if kind.endswith("-update") and session.filler not in told:
            yield f"{kind} of filler {session.filler}, which was not told before"


def _instruction_faults(session: Session, versions: Mapping[int, int]) -> Iterator[str]:
    types = [kind for kind in session.types if kind.startswith("instruction")]
    for kind, told in zip(types, session.instructions, strict=False):
        held = versions.get(told.family)
        if kind == "instruction-add" and held is not None:
            yield f"{kind} of family {told.family}, which was told before"
        if kind == "instruction-update" and held is None:
            yield f"{kind} of family {told.family}, which was not told before"
        if kind == "instruction-update" and held == told.version:
            yield f"{kind} of family {told.family} to the version that holds, {held}"
    for told in session.instructions:
        if other := _text_says(told):
            yield f"the text {told.text!r} asks for {rule_words(other)}, the check for another"
    if len({told.family for told in session.instructions}) < len(session.instructions):
        yield "two instructions of one family"


def _text_says(told: Instruction) -> Rule | None:
    """What an instruction's line asks for, where it is not the check of its family."""
    rules = [rule for _, rule in cached_rules(told.text, None)]
    same = [rule for rule in rules if rule.family == told.rule.family]
    return same[0] if same and told.rule not in same else None


def _history_faults(dialogue: Dialogue) -> Iterator[str]:
    active = dialogue.active_instructions(dialogue.last)
    wanted, kept = Counter(i.rule for i in active), Counter(dialogue.history_rules)
    if dialogue.history_rules or not active:
        for rule in (wanted - kept).elements():
            yield f"history rules lack the active {rule_words(rule)}"
        for rule in (kept - wanted).elements():
            yield f"history rules hold {rule_words(rule)}, which is not active"
    asked = Counter(dialogue.history_queries)
    queries = {instruction.eval_query for instruction in active}
    for query in sorted(queries - asked.keys()):
        yield f"history queries lack {query!r} of an active rule"
    for query in sorted(asked.keys() - queries):
        yield f"history queries hold {query!r} of no active rule"
    for query in sorted(query for query, times in asked.items() if times > 1):
        yield f"history queries hold {query!r} more than once"


def _shared_questions(active: Sequence[Instruction]) -> Iterator[str]:
    families: dict[str, list[int]] = {}
    for told in active:
        families.setdefault(told.eval_query, []).append(told.family)
    for query, numbers in families.items():
        if len(numbers) > 1:
            yield f"families {', '.join(map(str, numbers))} ask {query!r}"
