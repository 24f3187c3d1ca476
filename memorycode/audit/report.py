"""The whole report: every look at every dialogue, sizes, lengths and ceilings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from memorycode.audit.ceiling import Ceiling, Ceilings
from memorycode.audit.contradictions import (
    duplicate_problems,
    field_problems,
    version_problems,
)
from memorycode.audit.origin import difficulty_of
from memorycode.audit.problem import (
    PROBLEM_KINDS,
    TEXT_KINDS,
    Problem,
    ProblemKind,
    rule_words,
)
from memorycode.audit.speaker_labels import label_problems
from memorycode.audit.stated_rules import is_readable, text_problems
from memorycode.datasets import load_dataset
from memorycode.dialogue import Dialogue
from memorycode.frozen import Frozen
from memorycode.generation.style import Difficulty
from memorycode.scoring.name_search import MOST_NAMES
from memorycode.scoring.scorers import SCORER_NAMES, ScorerName, make_scorer
from memorycode.tokens import TOKENIZER, token_counter


class Lengths(Frozen):
    """Lengths of texts in tokens of `TOKENIZER`."""

    total: int
    shortest: int
    mean: float
    longest: int


class DialogueAudit(Frozen):
    """One dialogue: what it holds, how long it is, and its ceiling by scorer (None: no rules)."""

    dialogue: int
    counts: Mapping[str, int]
    tokens: int
    ceiling: Mapping[ScorerName, float | None]
    problems: int


class AuditReport(Frozen):
    """What an audit found. `problems` stand in the order of dialogues and sessions.

    `notes` are sentences on what to bear in mind when reading the rest.
    """

    counts: Mapping[str, int]
    problems: tuple[Problem, ...]
    ceiling: Mapping[ScorerName, Ceiling]
    session_tokens: Lengths
    dialogue_tokens: Lengths
    dialogues: tuple[DialogueAudit, ...]
    notes: tuple[str, ...] = ()

    @property
    def by_kind(self) -> dict[ProblemKind, int]:
        """How many problems there are of each kind that occurs."""
        found = Counter(problem.kind for problem in self.problems)
        return {kind: found[kind] for kind in PROBLEM_KINDS if found[kind]}

    @property
    def text_problems(self) -> tuple[Problem, ...]:
        """The findings about what sessions say, which a reader can confirm or reject."""
        return tuple(problem for problem in self.problems if problem.kind in TEXT_KINDS)

    def as_json(self) -> dict[str, Any]:
        return {**self.model_dump(mode="json"), "tokenizer": TOKENIZER, "by_kind": self.by_kind}


def audit_dataset(path: Path | str) -> AuditReport:
    """Audit all that `load_dataset` reads: dialogues in the release's layout, or rows.

    Raises `DatasetError` where it is not in the layout.
    """
    return audit_dialogues(load_dataset(path), difficulty=difficulty_of(Path(path)))


def audit_dialogues(
    dialogues: Sequence[Dialogue], *, difficulty: Difficulty = "explicit"
) -> AuditReport:
    """Audit dialogues that are in memory; there must be at least one.

    `difficulty` is how plainly they mean to tell their rules.
    """
    ceilings = {name: Ceilings(make_scorer(name)) for name in SCORER_NAMES}
    problems = sorted(_problems(dialogues, ceilings, difficulty), key=_place)
    count_tokens = token_counter()
    lengths = [[count_tokens(s.text) for s in dialogue.sessions] for dialogue in dialogues]
    found = Counter(problem.dialogue for problem in problems)
    return AuditReport(
        counts=_counts(dialogues) | _conflicts(dialogues, ceilings["official"]),
        problems=tuple(problems),
        ceiling={name: made.overall(dialogues) for name, made in ceilings.items()},
        session_tokens=_lengths([n for numbers in lengths for n in numbers]),
        dialogue_tokens=_lengths([sum(numbers) for numbers in lengths]),
        dialogues=tuple(
            DialogueAudit(
                dialogue=dialogue.number,
                counts=_counts([dialogue]),
                tokens=sum(numbers),
                ceiling={name: made.history(dialogue) for name, made in ceilings.items()},
                problems=found[dialogue.number],
            )
            for dialogue, numbers in zip(dialogues, lengths, strict=True)
        ),
        notes=(*_difficulty_notes(difficulty), *_ceiling_notes(dialogues, ceilings)),
    )


def _problems(
    dialogues: Sequence[Dialogue],
    ceilings: Mapping[ScorerName, Ceilings],
    difficulty: Difficulty,
) -> Iterator[Problem]:
    for dialogue in dialogues:
        yield from text_problems(dialogue, difficulty)
        yield from label_problems(dialogue)
        yield from field_problems(dialogue)
        for name, made in ceilings.items():
            yield from _clash_problems(dialogue, name, made)
    yield from version_problems(dialogues)
    yield from duplicate_problems(dialogues)


def _place(problem: Problem) -> tuple[int, int]:
    """Those of a whole dialogue come before its sessions'."""
    return problem.dialogue, -1 if problem.session is None else problem.session


def _clash_problems(dialogue: Dialogue, scorer: ScorerName, made: Ceilings) -> Iterator[Problem]:
    for clash in made.clashes(dialogue.rules(dialogue.last)):
        rules = ", ".join(map(rule_words, clash.rules))
        together = f"{clash.best} of {clash.total} can hold together"
        found = f"at most {together}" if clash.is_best else f"{together}, perhaps more"
        detail = f"{scorer}: {found}: {rules}"
        yield Problem(dialogue=dialogue.number, session=None, kind="clash", detail=detail)


def _difficulty_notes(difficulty: Difficulty) -> Iterator[str]:
    if difficulty != "explicit":
        yield (
            f"This data set was generated at the difficulty {difficulty}: by design its texts tell "
            "rules in words that the detector does not read. Where a trace of the rule is there, "
            "the finding is hinted; the attribution of runs calls such a rule not_told."
        )


def _ceiling_notes(
    dialogues: Sequence[Dialogue], ceilings: Mapping[ScorerName, Ceilings]
) -> Iterator[str]:
    for name, made in ceilings.items():
        unsure = sum(not made.is_sure(dialogue) for dialogue in dialogues)
        if unsure:
            yield (
                f"The {name} ceiling may be too low: in {unsure} dialogues so many rules on one "
                f"object clash that not all names were tried ({MOST_NAMES} were)."
            )


def _counts(dialogues: Sequence[Dialogue]) -> dict[str, int]:
    """Sizes, and how often each type of a session occurs.

    ``unreadable_instructions`` are those whose own line the detector does not understand, so that
    they were not looked for in the text.
    """
    sessions = [session for dialogue in dialogues for session in dialogue.sessions]
    instructions = [told for session in sessions for told in session.instructions]
    types = Counter(kind for session in sessions for kind in session.types)
    return {
        "dialogues": len(dialogues),
        "sessions": len(sessions),
        "sessions_with_instructions": sum(bool(session.instructions) for session in sessions),
        "instructions": len(instructions),
        "unreadable_instructions": sum(not is_readable(told) for told in instructions),
        "history_rules": sum(len(dialogue.rules(dialogue.last)) for dialogue in dialogues),
        "history_eval_queries": sum(len(dialogue.history_queries) for dialogue in dialogues),
        **dict(sorted(types.items())),
    }


def _conflicts(dialogues: Sequence[Dialogue], made: Ceilings) -> dict[str, int]:
    """In how many dialogues the rules of an object cannot all hold, by object."""
    clashes = Counter(
        f"conflict_{clash.object}"
        for dialogue in dialogues
        for clash in made.clashes(dialogue.rules(dialogue.last))
    )
    return dict(sorted(clashes.items()))


def _lengths(numbers: Sequence[int]) -> Lengths:
    return Lengths(
        total=sum(numbers), shortest=min(numbers), mean=fmean(numbers), longest=max(numbers)
    )
