"""All that the dialogue browser shows of one dialogue, as one JSON value.

Texts are lists of numbers into `lines`, so that what several sessions, contexts and answers share
stands there once::

    lines      every line of every text
    rules      object, check, words
    sessions   text, and `told`: its rules with the sentences that state them
    passages   session, text (none where it is the session verbatim), `has`: the rules it states
    contexts   the passages of each
    answers    text, and `breaks`: by scorer and rule the lines that break it
    asked      setting, session, number, query, rules, elicited
    questions  one entry per answer that was recorded, with numbers into all of these

Rules are numbers into `rules`, verdicts and causes one letter each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from memorycode.dialogue import Dialogue, Session, Setting
from memorycode.errors import RunFolderError
from memorycode.protocols import Scorer, Verdict
from memorycode.reporting.html.interning import Numbered, Texts
from memorycode.reporting.html.rule_words import rule_words
from memorycode.reporting.html.told_sentences import told_spans
from memorycode.results.answers import Answer
from memorycode.rules import Rule
from memorycode.running.manifest import RunSettings
from memorycode.running.plan import Question, plan_episodes
from memorycode.running.records import AskedRecord, StoredContext
from memorycode.scoring.attribution import CAUSES, Cause
from memorycode.scoring.detection import detect
from memorycode.scoring.offending import AnswerLines
from memorycode.scoring.rule_cache import cached_rules
from memorycode.scoring.scorers import SCORER_NAMES, make_scorer

VERDICT_LETTERS: Mapping[Verdict, str] = {
    "followed": "f",
    "violated": "v",
    "absent": "a",
    "unparsable": "u",
}
CAUSE_LETTERS: Mapping[Cause, str] = dict(zip(CAUSES, "abcdef", strict=True))
NO_CAUSE = "-"

_Place = tuple[Setting, int, int]
_StoredPassage = tuple[int | None, str | None]


class DialogueData:
    """Collects the records of one dialogue, from one run or several."""

    def __init__(self, dialogue: Dialogue) -> None:
        self._dialogue = dialogue
        self._names = dialogue.context.mentor, dialogue.context.mentee
        self._detected = [detect(session.text, *self._names) for session in dialogue.sessions]
        self._lines = Texts()
        self._rules: Numbered[Rule] = Numbered()
        self._passages: Numbered[_StoredPassage] = Numbered()
        self._contexts: Numbered[tuple[int, ...]] = Numbered()
        self._answers: Numbered[str] = Numbered()
        self._violated: defaultdict[int, set[tuple[str, int]]] = defaultdict(set)
        self._asked: Numbered[_Place] = Numbered()
        self._planned: dict[_Place, Question] = {}
        self._questions: list[dict[str, Any]] = []
        self._sessions = [self._session(session) for session in dialogue.sessions]

    def add_run(
        self,
        run: int,
        settings: RunSettings,
        answers: Iterable[tuple[Answer, AskedRecord]],
        contexts: Iterable[StoredContext],
    ) -> None:
        """Take in what a run has of this dialogue.

        Args:
            run: Counts the runs of the page.
            settings: Of the run.
            answers: The run's rows, each with the record that has its texts.
            contexts: What was recalled for them.

        Raises:
            RunFolderError: A context that a record names is not there.
        """
        self._plan(settings)
        known = {context.id: self._context(context) for context in contexts}
        strategies = {entry.spec: n for n, entry in enumerate(settings.strategies)}
        models = {entry.name: n for n, entry in enumerate(settings.models)}
        entries = []
        for answer, record in answers:
            entry = {"run": run, "strategy": strategies[answer.source.strategy]}
            entry |= {"model": models[answer.source.model]} | self._entry(answer, record, known)
            entries.append(entry)
        order = ("strategy", "model", "asked", "repeat")
        self._questions += sorted(entries, key=lambda e: [e.get(name, 0) for name in order])

    def as_json(self) -> dict[str, Any]:
        asked = [self._asked_json(place) for place in self._asked.values]
        # Only now is every rule known, and every line only once the rest has been gone through.
        answers = [self._answer_json(n, text) for n, text in enumerate(self._answers.values)]
        passages = [self._passage(*stored) for stored in self._passages.values]
        return {
            "number": self._dialogue.number,
            "speakers": self._dialogue.context.speakers.model_dump(),
            "sessions": self._sessions,
            "passages": passages,
            "contexts": self._contexts.values,
            "answers": answers,
            "asked": asked,
            "questions": self._questions,
            "rules": [_rule_json(rule) for rule in self._rules.values],
            "lines": self._lines.values,
        }

    # ── the dialogue ──────────────────────────────────────────────────────────────────────────

    def _session(self, session: Session) -> dict[str, Any]:
        spans = told_spans(session, self._dialogue.context.speakers, self._detected[session.index])
        return {
            "text": self._lines.text(session.text),
            "told": [
                {
                    "rule": self._rules.number(told.rule),
                    "family": told.family,
                    "version": told.version,
                    "text": told.text,
                    "spans": spans[told.rule],
                }
                for told in session.instructions
            ],
        }

    def _plan(self, settings: RunSettings) -> None:
        every = any(entry.ask_after == "every" for entry in settings.strategies)
        for episode in plan_episodes(
            self._dialogue, settings.setting, "every" if every else "last"
        ):
            for question in episode.all_questions:
                self._planned[_place(question)] = question

    def _asked_json(self, place: _Place) -> dict[str, Any]:
        question = self._planned[place]
        return {
            "setting": question.setting,
            "session": question.session,
            "number": question.number,
            "query": question.query,
            "rules": [self._rules.number(rule) for rule in question.rules],
            "elicited": "".join("01"[elicited] for elicited in question.elicited),
        }

    # ── what was recalled ─────────────────────────────────────────────────────────────────────

    def _context(self, context: StoredContext) -> int:
        stored: list[_StoredPassage] = [
            (passage, None) if isinstance(passage, int) else (passage.session, passage.text)
            for passage in context.passages
        ]
        last = self._dialogue.last
        if any(text is None and not 0 <= (at or 0) <= last for at, text in stored):
            raise RunFolderError(f"context {context.id} names a session that is not there")
        return self._contexts.number(tuple(map(self._passages.number, stored)))

    def _passage(self, session: int | None, text: str | None) -> list[Any]:
        """Session, text, the rules of the dialogue that it states: as attribution reads it."""
        if text is None:
            has = {found.rule for found in self._detected[session or 0]}
        else:
            has = {rule for _, rule in cached_rules(text, *self._names)}
        known = (self._rules.get(rule) for rule in has)
        numbers = sorted(number for number in known if number is not None)
        return [session, None if text is None else self._lines.text(text), numbers]

    # ── what was answered ─────────────────────────────────────────────────────────────────────

    def _entry(
        self, answer: Answer, record: AskedRecord, contexts: Mapping[str, int]
    ) -> dict[str, Any]:
        if record.context and record.context not in contexts:
            raise RunFolderError(f"record {record.id}: its context {record.context} is missing")
        place = (answer.setting, answer.session, answer.number)
        has_text = record.answer or not answer.failure
        numbers = {
            "asked": self._asked.number(place),
            "context": contexts.get(record.context),
            "answer": self._take(answer, record.answer) if has_text else None,
        }
        entry = {
            "repeat": answer.repeat,
            "outcome": answer.failure,
            "error": answer.error,
            "verdicts": {
                name: "".join(VERDICT_LETTERS[verdict] for verdict in verdicts)
                for name, verdicts in answer.verdicts.items()
            },
            "causes": {
                name: _letters(causes, len(answer.rules))
                for name, causes in answer.causes.items()
                if causes
            },
            "tokens": [answer.context_tokens, answer.prompt_tokens],
            "usage": record.usage.model_dump() if record.usage else None,
            "latency": round(record.latency, 3),
            "cached": record.cached,
            "unsent": record.unsent,
            "finish": record.finish_reason,
            "reasoning": record.reasoning,
            "notes": dict(record.notes),
            "cut": record.truncated.model_dump() if record.truncated else None,
        }
        known = {name: number for name, number in numbers.items() if number is not None}
        return known | {name: value for name, value in entry.items() if _tells(value)}

    def _take(self, answer: Answer, text: str) -> int:
        number = self._answers.number(text)
        rules = self._planned[answer.setting, answer.session, answer.number].rules
        for scorer, verdicts in answer.verdicts.items():
            for rule, verdict in zip(rules, verdicts, strict=True):
                if verdict == "violated":
                    self._violated[number].add((scorer, self._rules.number(rule)))
        return number

    def _answer_json(self, number: int, text: str) -> dict[str, Any]:
        found: dict[str, dict[int, list[int]]] = {}
        wanted = self._violated.get(number)
        if wanted:
            lines_of, rules = AnswerLines(text), self._rules.values
            for scorer in SCORER_NAMES:
                lines = {
                    rule: list(lines_of.offending_lines(rules[rule], _scorers()[scorer]))
                    for name, rule in sorted(wanted)
                    if name == scorer
                }
                found[scorer] = {rule: at for rule, at in lines.items() if at}
        return {"text": self._lines.text(text), "breaks": found}


@cache
def _scorers() -> Mapping[str, Scorer]:
    return {name: make_scorer(name) for name in SCORER_NAMES}


def _tells(value: Any) -> bool:
    """Whether a field says anything; what the page takes for granted is left out."""
    return value is not None and value is not False and value not in ("", {}, 0)


def _letters(causes: Mapping[int, Cause], rules: int) -> str:
    return "".join(
        CAUSE_LETTERS[causes[place]] if place in causes else NO_CAUSE for place in range(rules)
    )


def _place(question: Question) -> _Place:
    return question.setting, question.session, question.number


def _rule_json(rule: Rule) -> dict[str, Any]:
    return {"object": rule.object, "check": rule.check, "words": rule_words(rule)}
