"""Dialogues, sessions and instructions, as frozen data. Sessions count from 0."""

from __future__ import annotations

from functools import cached_property
from typing import Literal, get_args

from memorycode.frozen import Frozen
from memorycode.rules import Rule

Setting = Literal["history", "session", "instruction"]
"""What is asked: after many sessions, after one session alone, after one rule alone."""

AskAfter = Literal["last", "every"]
"""When a history is asked about: after its last session, or after every one."""

ASK_AFTER: tuple[AskAfter, ...] = get_args(AskAfter)

SHORT_SESSIONS = 15
"""Dialogues of up to this many sessions are *short* in the paper, longer ones are *long*."""


def is_short(sessions: int) -> bool:
    """Whether a dialogue of so many sessions is a short one."""
    return sessions <= SHORT_SESSIONS


class Speakers(Frozen):
    """Who talks: names as they label the turns, and the company they work for."""

    mentor: str
    mentee: str
    company: str = ""


class Context(Speakers):
    """The speakers with the personas that the dialogue was written for."""

    mentor_persona: str = ""
    mentee_persona: str = ""

    @property
    def speakers(self) -> Speakers:
        return Speakers(mentor=self.mentor, mentee=self.mentee, company=self.company)


class Instruction(Frozen):
    """One coding rule as told in one session.

    `family` and `version` are the data set's numbers: a later instruction of the same family
    replaces an earlier one. `text` is the rule in one line, as the generator was given it.
    """

    family: int
    version: int
    rule: Rule
    text: str
    eval_query: str


class SessionView(Frozen):
    """All that a strategy may see of a session: no gold labels.

    `text` is the transcript as it stands, one turn a paragraph, each opened by its speaker's name.
    """

    index: int
    speakers: Speakers
    text: str


class OracleView(SessionView):
    """A session together with its gold labels, for strategies that declare themselves oracles."""

    instructions: tuple[Instruction, ...]


class Session(Frozen):
    """One conversation with its gold labels. `types`, `topics` and `length` are kept as read."""

    index: int
    text: str
    instructions: tuple[Instruction, ...] = ()
    types: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    filler: int = -1
    length: str = ""

    @property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(instruction.rule for instruction in self.instructions)

    @property
    def eval_queries(self) -> tuple[str, ...]:
        return tuple(instruction.eval_query for instruction in self.instructions)

    def view(self, speakers: Speakers) -> SessionView:
        """The session without its gold labels."""
        return SessionView(index=self.index, speakers=speakers, text=self.text)

    def oracle_view(self, speakers: Speakers) -> OracleView:
        """The session with its gold labels, for oracles alone."""
        return OracleView(
            index=self.index, speakers=speakers, text=self.text, instructions=self.instructions
        )


class Dialogue(Frozen):
    """One mentor/mentee history.

    `history_queries` are the questions that the data set asks after the last session, in its own
    order, which need not be the order in which the rules were told. `history_rules` are the rules
    it checks there; where it names none, those are the active rules.
    """

    number: int
    context: Context
    sessions: tuple[Session, ...]
    history_queries: tuple[str, ...] = ()
    history_rules: tuple[Rule, ...] = ()

    @property
    def is_short(self) -> bool:
        return is_short(len(self.sessions))

    @property
    def last(self) -> int:
        """The index of the last session."""
        return len(self.sessions) - 1

    @cached_property
    def _active(self) -> tuple[tuple[Instruction, ...], ...]:
        told: dict[int, Instruction] = {}
        steps = []
        for session in self.sessions:
            told |= {instruction.family: instruction for instruction in session.instructions}
            steps.append(tuple(told.values()))
        return tuple(steps)

    def active_instructions(self, at: int) -> tuple[Instruction, ...]:
        """The latest version per family once session `at` is over, in the order first told."""
        return self._active[at]

    def rules(self, at: int) -> tuple[Rule, ...]:
        """The rules that a history question at checkpoint `at` is checked against."""
        if at == self.last and self.history_rules:
            return self.history_rules
        return tuple(instruction.rule for instruction in self._active[at])

    def queries(self, at: int) -> tuple[str, ...]:
        """The history questions at checkpoint `at`: the data set's own at the last session, else
        each distinct question of the active instructions in the order told."""
        if at == self.last:
            return self.history_queries
        return tuple(dict.fromkeys(i.eval_query for i in self._active[at]))

    def instruction_sessions(self, at: int) -> tuple[int, ...]:
        """The gold sessions: those up to `at` that carry an instruction."""
        return tuple(s.index for s in self.sessions[: at + 1] if s.instructions)

    def view(self, index: int) -> SessionView:
        return self.sessions[index].view(self.context.speakers)

    def oracle_view(self, index: int) -> OracleView:
        return self.sessions[index].oracle_view(self.context.speakers)
