"""What a seed file may hold: one model per table of `seeds/*.toml`.

Phrases are `str.format` texts; which variables a phrase may name is checked in `pool`.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, Field, StringConstraints, field_validator, model_validator

from memorycode.frozen import Frozen
from memorycode.rules import Constraint, ConstraintKind, ObjectKind, Rule, rule_from
from memorycode.transcripts import SPEAKER_NAME

FIRST_FREE_NUMBER = 51
"""Families that the release does not have are numbered from here."""


def _one_line(text: str) -> str:
    if "\n" in text or "\r" in text:
        raise ValueError(f"want one line, found {text!r:.60}")
    return text


def _paragraph(text: str) -> str:
    if text[:1].isspace():
        raise ValueError(f"want no blank at the beginning, found {text!r:.60}")
    return _one_line(text)


def _speaker(name: str) -> str:
    if not SPEAKER_NAME.fullmatch(name):
        raise ValueError(f"want a speaker's name, words that begin with a letter, found {name!r}")
    return name


Text = Annotated[str, StringConstraints(min_length=1), AfterValidator(_paragraph)]
"""One line, not empty and not opened by a blank: a turn is one paragraph."""

Name = Annotated[str, AfterValidator(_speaker)]
"""A speaker's name: it labels the turns, so it has no colon."""

Lines = Annotated[tuple[Text, ...], Field(min_length=1)]
Exchange = tuple[Text, Text]
"""Two turns. The mentor's first, unless the key ends in ``by_mentee``."""
Exchanges = Annotated[tuple[Exchange, ...], Field(min_length=1)]

Conversations = Annotated[tuple[Exchanges, ...], Field(min_length=1)]


class VersionSeed(Frozen):
    """One version of an instruction, as in `Constraint`; in TOML the bare value will do."""

    value: Annotated[str, AfterValidator(_one_line)] = ""
    positive: bool = True

    @model_validator(mode="before")
    @classmethod
    def _bare_value(cls, data: Any) -> Any:
        return {"value": data} if isinstance(data, str) else data


class InstructionSeed(Frozen):
    """An instruction family with its versions and the questions that call for its object.

    `module` is where a decorator comes from. `number` is the release's where it has one. `texts`
    are the versions in one line each, in the pool's own words; without them `Phrases` gives them.
    """

    number: int
    object: ObjectKind
    kind: ConstraintKind
    module: str = ""
    versions: tuple[VersionSeed, ...] = (VersionSeed(),)
    texts: tuple[Text, ...] = ()
    queries: Lines

    def text(self, version: int) -> str:
        """The version's own one line; empty where it has none."""
        return self.texts[version] if self.texts else ""

    def rule(self, version: int) -> Rule:
        """The rule in the release's form."""
        return rule_from(self.object, self._constraint(version))

    def _constraint(self, version: int) -> Constraint:
        seed = self.versions[version]
        return Constraint(kind=self.kind, value=seed.value, positive=seed.positive)

    @model_validator(mode="after")
    def _one_family(self) -> InstructionSeed:
        if not self.versions:
            raise ValueError("versions: empty; leave it out where the rule has no value")
        if len(set(self.versions)) < len(self.versions):
            raise ValueError("versions: the same version twice")
        if self.texts and len(self.texts) != len(self.versions):
            raise ValueError(f"texts: {len(self.texts)} for {len(self.versions)} versions")
        for version, seed in enumerate(self.versions):
            if self.rule(version).constraint != self._constraint(version):
                told = f"value {seed.value!r}" + ("" if seed.positive else ", positive = false")
                raise ValueError(f"versions[{version}]: {told} does not go with {self.kind}")
        families = [self.rule(version).family for version in range(len(self.versions))]
        if any(family != families[0] for family in families):
            raise ValueError("versions: these make several families; give each its own table")
        number = families[0].number
        if number is not None and number != self.number:
            raise ValueError(f"number: this is the release's family {number}, not {self.number}")
        if number is None and self.number < FIRST_FREE_NUMBER:
            raise ValueError(
                f"number: 0 to {FIRST_FREE_NUMBER - 1} are the release's; take a higher one"
            )
        return self


class FillerSeed(Frozen):
    """A topic that is not scored.

    `about` names it within a sentence; `talk` is said when it first comes up, one exchange of
    `again` each time it returns. Without them a renderer has the topic alone to go by.
    """

    number: int
    topic: Text
    about: Text
    talk: tuple[Exchange, ...] = ()
    again: tuple[Exchange, ...] = ()


class HabitVersion(Frozen):
    """One version of a filler instruction: its line and what the mentor says."""

    text: Text
    say: Text


class FillerInstructionSeed(Frozen):
    """Something that sounds like a rule but is not about code; `about` names it in a sentence."""

    number: int
    about: Text
    versions: Annotated[tuple[HabitVersion, ...], Field(min_length=1)]


class Persona(Frozen):
    """A manner: its description (with ``{name}``) and lines that let it show.

    `of_rules` are said when a rule has been told, `in_passing` where a session begins or ends.
    Both may be empty.
    """

    text: Text
    of_rules: tuple[Text, ...] = ()
    in_passing: tuple[Text, ...] = ()


class People(Frozen):
    """Who may meet."""

    names: Annotated[tuple[Name, ...], Field(min_length=2)]
    companies: Lines
    mentor: Annotated[tuple[Persona, ...], Field(min_length=1)]
    mentee: Annotated[tuple[Persona, ...], Field(min_length=1)]

    @field_validator("names")
    @classmethod
    def _distinct(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(names)) < len(names):
            raise ValueError("a name stands here twice")
        return names


class RulePhrases(Frozen):
    """How one kind of rule is put into words.

    `topic` is its one line. `word` names the value alone, for the old one in a change. `state`
    tells it, `change` tells it as replacing ``{old}``, `gone` does so and says ``{when}`` the old
    one was told, `why` gives a reason; `paraphrase` tells it in other words, `hint` leaves it to be
    inferred, `same` by what holds for ``{others}``; `correction` puts ``{wrong}`` right (all the
    mentor's). `repeat` is the mentee's, as is the first half of `misheard_by_mentee`.
    """

    topic: Text
    word: Text = "'{value}'"
    state: Lines
    change: tuple[Text, ...] = ()
    gone: tuple[Text, ...] = ()
    paraphrase: tuple[Text, ...] = ()
    hint: tuple[Text, ...] = ()
    same: tuple[Text, ...] = ()
    correction: tuple[Text, ...] = ()
    misheard_by_mentee: tuple[Exchange, ...] = ()
    why: Lines
    repeat: Lines


class Phrases(Frozen):
    """What is said around rules and fillers. Lines are the mentor's unless said otherwise.

    `work_talk` (in a first session `first_day`) may name the `words`, one of each list for a whole
    conversation; more talk of work is put together from a start, one or two middles and a
    `work_end`: a `trouble_middle` fits after a `work_start`, a `work_middle` after a `task_start`
    too. `filler_talk` and `filler_again_talk` serve topics that have no talk of their own.
    `when` says how long ago something was told (*first*, *last*, *recent*, *early*, *old*). What
    may be left out is then not said.
    """

    meeting: Exchanges
    meeting_by_mentee: Exchanges
    opening: Exchanges
    opening_by_mentee: Exchanges
    small_talk: Exchanges
    first_day: Conversations
    work_talk: Conversations
    work_start: tuple[Exchange, ...] = ()
    task_start: tuple[Exchange, ...] = ()
    trouble_middle: tuple[Exchange, ...] = ()
    work_middle: tuple[Exchange, ...] = ()
    work_end: tuple[Exchange, ...] = ()
    work_later: Lines
    words: dict[str, Lines]
    filler_first: Lines
    filler_later: Lines
    filler_again: Lines
    filler_talk: tuple[Exchanges, ...] = ()
    filler_again_talk: tuple[Exchange, ...] = ()
    rules_first: Lines
    rules_later: Lines
    rules_asked_by_mentee: Lines
    next_rule: Lines
    change_lead: Lines
    change_reference: tuple[Text, ...] = ()
    change_return: tuple[Text, ...] = ()
    change_old: tuple[Text, ...] = ()
    remember_by_mentee: tuple[Text, ...] = ()
    when: dict[str, Lines] = Field(default_factory=dict)
    hedge_before: tuple[Text, ...] = ()
    hedge: tuple[Text, ...] = ()
    slip: tuple[Text, ...] = ()
    accept_by_mentee: Lines
    question_by_mentee: Exchanges
    filler_instruction_lead: Lines
    filler_instruction_change: Lines
    filler_instruction_question_by_mentee: Exchanges
    filler_instruction_accept_by_mentee: Lines
    closing: Exchanges
    closing_by_mentee: Exchanges
    rule: dict[str, RulePhrases]
