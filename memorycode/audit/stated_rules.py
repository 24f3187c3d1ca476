"""What the sessions' texts say, against what gold says they say.

The detector reads a text; where it misses a gold rule, or finds it put together from pieces, the
wording decides whether a reader would object. Where rules are told in other words by design, a
trace of the rule is all that can be asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from memorycode.audit.problem import Problem, ProblemKind, rule_words
from memorycode.audit.wording import Talk, thing_of
from memorycode.dialogue import Dialogue, Instruction, Session, Speakers
from memorycode.generation.style import Difficulty
from memorycode.rules import Rule
from memorycode.scoring.detection import Detection, detect
from memorycode.scoring.rule_cache import cached_rules

Finding = tuple[ProblemKind, str]


def is_readable(instruction: Instruction) -> bool:
    """Whether the detector finds the rule in its own one-line text.

    A rule of a form that it does not know cannot be looked for in a conversation.
    """
    return any(rule == instruction.rule for _, rule in cached_rules(instruction.text, None))


def text_problems(dialogue: Dialogue, difficulty: Difficulty = "explicit") -> Iterator[Problem]:
    """The findings in each session, gold rules first."""
    reader = _Reading if difficulty == "explicit" else _LenientReading
    for session in dialogue.sessions:
        reading = reader(session, dialogue.context.speakers)
        for kind, detail in _findings(session, reading):
            yield Problem(dialogue=dialogue.number, session=session.index, kind=kind, detail=detail)


def _findings(session: Session, reading: _Reading) -> Iterator[Finding]:
    for instruction in session.instructions:
        if is_readable(instruction):
            yield from reading.about_gold(instruction.rule)
    yield from reading.beyond_gold()


class _Reading:
    """One session as the detector reads it, beside its gold rules."""

    def __init__(self, session: Session, speakers: Speakers) -> None:
        self._text, self._speakers = session.text, speakers
        self._found = detect(session.text, speakers.mentor, speakers.mentee)
        self._by_rule = {detection.rule: detection for detection in self._found}
        self._gold = session.rules
        self._gold_texts = [instruction.text for instruction in session.instructions]

    @cached_property
    def _talk(self) -> Talk:
        """Cut up only where it is needed: most sessions are plain."""
        return Talk(self._text, self._speakers.mentor, self._speakers.mentee)

    # ── rules that gold has ───────────────────────────────────────────────────────────────────

    def about_gold(self, rule: Rule) -> Iterator[Finding]:
        detection = self._by_rule.get(rule)
        finding = self._in_doubt(rule, detection) if detection else self._missing(rule)
        if finding:
            kind, detail = finding
            yield kind, f"{rule_words(rule)}: {detail}"

    def _missing(self, rule: Rule) -> Finding | None:
        """Why the detector does not find a rule, or None where a reader would."""
        if rule.constraint.kind in ("name", "presence") and self._talk.states_whole(rule):
            ended = self._talk.makes_optional(rule) or self._talk.takes_back(rule)
            return ("withdrawn", "the text takes it back") if ended else None
        return self._told_as_another(rule) or self._told_in_part(rule)

    def _told_as_another(self, rule: Rule) -> Finding | None:
        if other := self._same_family(rule):
            return "garbled", f"the text says {rule_words(other)}"
        if other := self._same_check(rule):
            return "garbled", f"the text says it of another object: {rule_words(other)}"
        return None

    def _told_in_part(self, rule: Rule) -> Finding:
        talk = self._talk
        if talk.mentor_names(rule):
            return self._named_only(rule)
        if spelling := talk.other_spelling(rule.constraint):
            return "garbled", f"the text says {spelling!r}"
        if talk.mentee_names(rule):
            return "left_to_mentee", "the mentee alone says it"
        return "never_stated", "nobody says it"

    def _named_only(self, rule: Rule) -> Finding:
        if self._talk.takes_back(rule):
            return "withdrawn", "the text takes it back"
        if rule.constraint.kind in ("prefix", "suffix", "contains", "case"):
            return "garbled", "the value is said, but not what to do with it"
        return "hinted", "it is spoken of, but the mentor asks it of no such object"

    def _same_family(self, rule: Rule) -> Rule | None:
        for detection in self._found:
            if detection.family == rule.family and detection.rule not in self._gold:
                return detection.rule
        return None

    def _same_check(self, rule: Rule) -> Rule | None:
        """A rule beyond gold with this check, of an object of the same sort."""
        part = rule.object.split()[1:]
        for detection in self._found:
            other = detection.rule
            alike = other.object.split()[1:] == part or rule.constraint.value
            if other.check == rule.check and alike and other not in self._gold:
                return other
        return None

    def _in_doubt(self, rule: Rule, detection: Detection) -> Finding | None:
        """What a reader may object to where the detector does find the rule."""
        kind = rule.constraint.kind
        if kind == "presence" and self._talk.makes_optional(rule):
            return "withdrawn", "the text calls it optional"
        if kind == "contains" and (spelling := self._talk.other_spelling(rule.constraint)):
            return "garbled", f"the text says {spelling!r} too"
        if detection.wording == "completed" and not self._talk.says_both(rule):
            part = "object" if self._talk.mentor_names(rule) else "value"
            return "left_to_mentee", f"the mentee alone says the {part}"
        if detection.wording == "implied":
            return self._in_paraphrase(rule)
        return None

    def _in_paraphrase(self, rule: Rule) -> Finding | None:
        talk = self._talk
        if rule.constraint.kind in ("prefix", "suffix"):
            if not talk.mentor_names(rule):
                return "hinted", "the value is told in words and never shown"
            if talk.misleads(rule):
                return "garbled", "the words tell of the other end of a name"
        if rule.object.endswith("annotation") and not talk.annotations_named():
            return "hinted", "to annotate may mean to comment; nobody speaks of annotations"
        return None

    # ── rules that gold has not ───────────────────────────────────────────────────────────────

    def beyond_gold(self) -> Iterator[Finding]:
        missing = [rule for rule in self._gold if rule not in self._by_rule]
        families = {rule.family for rule in self._gold}
        for rule in self._by_rule:
            if rule.family in families or self._stands_for(rule, missing) or self._serves(rule):
                continue
            yield "not_in_gold", f"{rule_words(rule)}: stated, but gold does not have it"

    def _stands_for(self, rule: Rule, missing: Sequence[Rule]) -> bool:
        """Whether it is what became of a gold rule that is missing: reported there."""
        return any(
            self._same_check(gold) == rule
            or (gold.object == rule.object and gold.constraint.kind == rule.constraint.kind)
            for gold in missing
        )

    def _serves(self, rule: Rule) -> bool:
        """Whether it asks to import the module that a gold decorator comes from."""
        module = f"'{rule.constraint.value}' module"
        return rule.object == "import" and any(module in text for text in self._gold_texts)


class _LenientReading(_Reading):
    """A session whose rules are paraphrased, or left to be inferred, by design."""

    def _missing(self, rule: Rule) -> Finding | None:
        finding = super()._missing(rule)
        if finding and finding[0] in ("garbled", "hinted", "never_stated") and self._hints_at(rule):
            return "hinted", "told in words that the detector does not read"
        return finding

    def _hints_at(self, rule: Rule) -> bool:
        """Whether the mentor says the value, or speaks of the object without another reason.

        A value that is not said can only be meant by likening the object to another one.
        """
        others = [gold for gold in self._gold if gold != rule]
        if _has_value(rule):
            twice = any(other.check == rule.check for other in others)
            said = self._talk.says_both(rule) if twice else self._talk.mentor_names(rule)
            return said or self._talk.likens(rule, others)
        waiting = sum(
            thing_of(gold) == thing_of(rule)
            and gold not in self._by_rule
            and not (_has_value(gold) and self._talk.mentor_names(gold))
            for gold in self._gold
        )
        return len(self._talk.open_on(rule, others)) >= waiting


def _has_value(rule: Rule) -> bool:
    return rule.constraint.kind in ("prefix", "suffix", "contains", "name")
