"""The tables of questions and of their rules."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from memorycode.results.answers import Answer, AskedRule, Place
from memorycode.results.figures.family_names import family_name
from memorycode.results.frames import FrameColumn, RunTable, make_table
from memorycode.results.run_row import RunRow
from memorycode.rules import Rule
from memorycode.running.plan import Question
from memorycode.scoring.scorers import SCORER_NAMES
from memorycode.scoring.verdicts import verdict_score


class AnsweredQuestion(NamedTuple):
    """What a row of the level `questions` is about."""

    row: RunRow
    answer: Answer
    question: Question


class AnsweredRule(NamedTuple):
    """What a row of the level `rules` is about; `asked` is None where the rule was never told."""

    answered: AnsweredQuestion
    position: int
    rule: Rule
    asked: AskedRule | None


def questions_table(
    rows: Sequence[RunRow], questions: Mapping[Place, Question], further: Sequence[str] = ()
) -> RunTable:
    """A row for every planned question and repeat, whatever became of it; `further` are scorers
    besides ours."""
    return make_table(question_columns(further), _answered(rows, questions))


def rules_table(
    rows: Sequence[RunRow], questions: Mapping[Place, Question], further: Sequence[str] = ()
) -> RunTable:
    """A row for every rule of every planned question and repeat; `further` are scorers besides
    ours."""
    return make_table(rule_columns(further), _answered_rules(rows, questions))


def _answered(
    rows: Sequence[RunRow], questions: Mapping[Place, Question]
) -> Iterator[AnsweredQuestion]:
    for row in rows:
        for answer in row.answers:
            yield AnsweredQuestion(row, answer, questions[answer.place])


def _answered_rules(
    rows: Sequence[RunRow], questions: Mapping[Place, Question]
) -> Iterator[AnsweredRule]:
    for answered in _answered(rows, questions):
        pairs = zip(answered.question.rules, answered.answer.rules, strict=True)
        for position, (rule, asked) in enumerate(pairs):
            yield AnsweredRule(answered, position, rule, asked)


# ── the columns ───────────────────────────────────────────────────────────────────────────────


def _scorer_columns(name: str) -> tuple[FrameColumn[AnsweredQuestion], ...]:
    return (
        FrameColumn(
            f"score_{name}",
            "number",
            f"share of the rules followed by the scorer {name}; absent objects are left out",
            lambda q: q.answer.score(name),
        ),
        FrameColumn(
            f"perfect_{name}",
            "flag",
            f"whether all rules are followed by the scorer {name}",
            lambda q: q.answer.is_perfect(name),
        ),
    )


def _verdict_columns(name: str) -> tuple[FrameColumn[AnsweredRule], ...]:
    return (
        FrameColumn(
            f"verdict_{name}",
            "text",
            f"followed, violated, absent or unparsable, by the scorer {name}",
            lambda r: _verdict(r, name),
        ),
        FrameColumn(
            f"score_{name}",
            "number",
            f"1 if followed, 0 if violated or unparsable, by the scorer {name}",
            lambda r: _score(r, name),
        ),
        FrameColumn(
            f"cause_{name}",
            "text",
            f"where the rule was lost, if the scorer {name} found it violated",
            lambda r: r.answered.answer.causes.get(name, {}).get(r.position),
        ),
    )


def _of_question(column: FrameColumn[AnsweredQuestion]) -> FrameColumn[AnsweredRule]:
    """The same column for each of the question's rules."""
    return FrameColumn(column.name, column.kind, column.meaning, lambda r: column.value(r.answered))


def _verdict(one: AnsweredRule, scorer: str) -> str | None:
    verdicts = one.answered.answer.verdicts.get(scorer)
    return verdicts[one.position] if verdicts else None


def _score(one: AnsweredRule, scorer: str) -> float | None:
    verdicts = one.answered.answer.verdicts.get(scorer)
    return verdict_score(verdicts[one.position]) if verdicts else None


_PLACE_COLUMNS: tuple[FrameColumn[AnsweredQuestion], ...] = (
    FrameColumn("run", "text", "the run's folder, as it was named", lambda q: q.answer.source.run),
    FrameColumn("model", "text", "the model's name", lambda q: q.answer.source.model),
    FrameColumn("strategy", "text", "the strategy's spec", lambda q: q.answer.source.strategy),
    FrameColumn(
        "variant",
        "text",
        "what the strategy is with this model, where it is not what it usually is",
        lambda q: q.answer.source.variant,
    ),
    FrameColumn("oracle", "flag", "whether it sees gold labels", lambda q: q.answer.source.oracle),
    FrameColumn("id", "text", "the question's id in the run", lambda q: q.answer.id),
    FrameColumn("setting", "text", "history, session or instruction", lambda q: q.answer.setting),
    FrameColumn("dialogue", "whole", "the dialogue's number", lambda q: q.answer.dialogue),
    FrameColumn("sessions", "whole", "the dialogue's length", lambda q: q.answer.sessions),
    FrameColumn("session", "whole", "the checkpoint, counted from 0", lambda q: q.answer.session),
    FrameColumn(
        "last_checkpoint",
        "flag",
        "whether the tables count it: history questions before the last session make curves",
        lambda q: q.answer.is_last_checkpoint,
    ),
    FrameColumn(
        "column", "text", "the column of Table 4 that it counts in", lambda q: q.answer.column
    ),
    FrameColumn("number", "whole", "counts the checkpoint's questions", lambda q: q.answer.number),
    FrameColumn("repeat", "whole", "how often it was asked before", lambda q: q.answer.repeat),
    FrameColumn("round", "whole", "how often it was asked with remarks", lambda q: q.answer.round),
    FrameColumn("query", "text", "the code that is asked for", lambda q: q.question.query),
    FrameColumn(
        "failure",
        "text",
        "why there is no answer: missing if never asked, else the kind of failure",
        lambda q: q.answer.failure or None,
    ),
)

_BEFORE_SCORES: tuple[FrameColumn[AnsweredQuestion], ...] = (
    *_PLACE_COLUMNS,
    FrameColumn("error", "text", "what went wrong", lambda q: q.answer.error or None),
    FrameColumn(
        "rules", "whole", "how many rules it is checked against", lambda q: len(q.question.rules)
    ),
)

_AFTER_SCORES: tuple[FrameColumn[AnsweredQuestion], ...] = (
    FrameColumn(
        "context_tokens", "whole", "of what was recalled", lambda q: q.answer.context_tokens
    ),
    FrameColumn("prompt_tokens", "whole", "of the whole prompt", lambda q: q.answer.prompt_tokens),
    FrameColumn(
        "truncated",
        "flag",
        "whether the budget, or the model's limit, took something from the recall",
        lambda q: q.answer.truncated,
    ),
    FrameColumn(
        "recalled_rules",
        "whole",
        "how many of the rules in force the recalled context has",
        lambda q: q.answer.recalled.current if q.answer.recalled else None,
    ),
    FrameColumn(
        "recalled_stale",
        "whole",
        "how many it has in an older version alone",
        lambda q: q.answer.recalled.stale if q.answer.recalled else None,
    ),
)

_BEFORE_VERDICTS: tuple[FrameColumn[AnsweredRule], ...] = (
    *map(_of_question, _PLACE_COLUMNS),
    FrameColumn("position", "whole", "of the rule in the question", lambda r: r.position),
    FrameColumn("object", "text", "what the rule is about", lambda r: r.rule.object),
    FrameColumn(
        "check",
        "text",
        "the check in the release's form, as JSON",
        lambda r: json.dumps(r.rule.check),
    ),
    FrameColumn(
        "text",
        "text",
        "the rule in one line, as the data set has it; empty for a rule never told",
        lambda r: r.asked.text if r.asked else None,
    ),
    FrameColumn("family_name", "text", "the family by its kind", lambda r: family_name(r.rule)),
    FrameColumn(
        "family",
        "whole",
        "the family by the data set's number",
        lambda r: r.asked.family if r.asked else None,
    ),
    FrameColumn(
        "version",
        "whole",
        "which version of the family it is",
        lambda r: r.asked.version if r.asked else None,
    ),
    FrameColumn(
        "told",
        "whole",
        "the session in which it was last told",
        lambda r: r.asked.told if r.asked else None,
    ),
    FrameColumn(
        "age",
        "whole",
        "how many sessions ago that was",
        lambda r: r.answered.answer.session - r.asked.told if r.asked else None,
    ),
    FrameColumn(
        "rank",
        "whole",
        "how often the family was told before",
        lambda r: r.asked.rank if r.asked else None,
    ),
    FrameColumn(
        "elicited",
        "flag",
        "whether the question is the rule's own, so that its object is expected",
        lambda r: r.answered.question.elicited[r.position],
    ),
)


def question_columns(further: Sequence[str] = ()) -> tuple[FrameColumn[AnsweredQuestion], ...]:
    """The columns of the level `questions`; `further` are scorers besides ours."""
    scores = (column for name in (*SCORER_NAMES, *further) for column in _scorer_columns(name))
    return (*_BEFORE_SCORES, *scores, *_AFTER_SCORES)


def rule_columns(further: Sequence[str] = ()) -> tuple[FrameColumn[AnsweredRule], ...]:
    """The columns of the level `rules`; `further` are scorers besides ours."""
    verdicts = (column for name in (*SCORER_NAMES, *further) for column in _verdict_columns(name))
    return (*_BEFORE_VERDICTS, *verdicts)
