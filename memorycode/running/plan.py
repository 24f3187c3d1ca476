"""What a run asks: questions, grouped into episodes, grouped into tasks.

A *task* is one model, one strategy and one dialogue. It has one *episode* per history that is
played to a fresh instance of the strategy: the whole dialogue in the setting ``history``, one
session alone in ``session``, one rule alone in ``instruction``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memorycode.dialogue import AskAfter, Dialogue, Instruction, Session, Setting
from memorycode.frozen import Frozen
from memorycode.protocols import QuestionRef
from memorycode.rules import Rule
from memorycode.transcripts import labelled


class Question(Frozen):
    """One piece of code asked for, and the rules that it is checked against.

    `session` is the checkpoint, `number` counts the questions asked there, `repeat` how often this
    one was asked before. `elicited` marks the rules whose own question this is: an answer is meant
    to contain their object.
    """

    dialogue: int
    setting: Setting
    session: int
    number: int
    query: str
    rules: tuple[Rule, ...]
    elicited: tuple[bool, ...]
    repeat: int = 0

    @property
    def ref(self) -> QuestionRef:
        return QuestionRef(self.dialogue, self.setting, self.session, self.number, self.repeat)

    def id(self, strategy: str, model: str) -> str:
        """The question's identity in a run: ``dialogue/session/number/strategy/model``, with
        ``#2`` behind it for the second repeat and so on."""
        again = f"#{self.repeat + 1}" if self.repeat else ""
        return f"{self.dialogue}/{self.session}/{self.number}/{strategy}/{model}{again}"


class Episode(Frozen):
    """Sessions in time order, and the questions asked after each of them (by session index)."""

    sessions: tuple[Session, ...]
    questions: dict[int, tuple[Question, ...]]

    @property
    def all_questions(self) -> Iterator[Question]:
        for questions in self.questions.values():
            yield from questions


def plan_episodes(
    dialogue: Dialogue, setting: Setting, ask_after: AskAfter, repeats: int = 1
) -> tuple[Episode, ...]:
    """The episodes of a dialogue; `ask_after` matters to the setting ``history`` only.

    Every question is asked `repeats` times, one after the other, for its prompt is the same.
    """
    episodes = _episodes(dialogue, setting, ask_after)
    return episodes if repeats == 1 else tuple(_repeated(e, repeats) for e in episodes)


def _repeated(episode: Episode, repeats: int) -> Episode:
    questions = {
        at: tuple(
            question.model_copy(update={"repeat": repeat})
            for question in asked
            for repeat in range(repeats)
        )
        for at, asked in episode.questions.items()
    }
    return episode.model_copy(update={"questions": questions})


def _episodes(dialogue: Dialogue, setting: Setting, ask_after: AskAfter) -> tuple[Episode, ...]:
    if setting == "history":
        return (_history_episode(dialogue, ask_after),)
    if setting == "session":
        return tuple(_session_episode(dialogue, s) for s in dialogue.sessions if s.instructions)
    return tuple(
        _instruction_episode(dialogue, session, number, instruction)
        for session in dialogue.sessions
        for number, instruction in enumerate(session.instructions)
    )


def _history_episode(dialogue: Dialogue, ask_after: AskAfter) -> Episode:
    steps = range(dialogue.last + 1) if ask_after == "every" else [dialogue.last]
    questions = {}
    for at in steps:
        active = dialogue.active_instructions(at)
        asked = _questions(dialogue, "history", at, dialogue.queries(at), active)
        if asked:
            questions[at] = asked
    return Episode(sessions=dialogue.sessions, questions=questions)


def _session_episode(dialogue: Dialogue, session: Session) -> Episode:
    asked = _questions(
        dialogue, "session", session.index, session.eval_queries, session.instructions
    )
    return Episode(sessions=(session,), questions={session.index: asked})


def _instruction_episode(
    dialogue: Dialogue, session: Session, number: int, instruction: Instruction
) -> Episode:
    alone = Session(
        index=session.index,
        text=labelled(dialogue.context.mentor, instruction.text),
        instructions=(instruction,),
    )
    question = Question(
        dialogue=dialogue.number,
        setting="instruction",
        session=session.index,
        number=number,
        query=instruction.eval_query,
        rules=(instruction.rule,),
        elicited=(True,),
    )
    return Episode(sessions=(alone,), questions={session.index: (question,)})


def _questions(
    dialogue: Dialogue,
    setting: Setting,
    session: int,
    queries: Iterable[str],
    instructions: tuple[Instruction, ...],
) -> tuple[Question, ...]:
    rules = (
        dialogue.rules(session)
        if setting == "history"
        else tuple(instruction.rule for instruction in instructions)
    )
    own_query = {instruction.rule: instruction.eval_query for instruction in instructions}
    queries_of_rules = [own_query.get(rule) for rule in rules]
    return tuple(
        Question(
            dialogue=dialogue.number,
            setting=setting,
            session=session,
            number=number,
            query=query,
            rules=rules,
            elicited=tuple(own == query for own in queries_of_rules),
        )
        for number, query in enumerate(queries)
    )
