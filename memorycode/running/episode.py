"""Plays dialogues to a strategy, up to the prompts that a model is asked: runs, forecasts and the
conformance kit all play through here, with the same seeds."""

from __future__ import annotations

import random
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import TypeVar

from memorycode.dialogue import Dialogue, Session
from memorycode.errors import PluginError, StrategyFailed, StrategyHung
from memorycode.plugin_faults import MOST_SHOWN, named, plugin_faults
from memorycode.plugins import StrategyPlugin
from memorycode.protocols import MemoryStrategy, Model, Passage, Prompt, Recall
from memorycode.running.budget import Truncation, truncate_to_budget
from memorycode.running.checks import checked_recall
from memorycode.running.contexts import ContextStore
from memorycode.running.counted_embedder import CountedEmbedder
from memorycode.running.counted_model import CountedModel
from memorycode.running.plan import Episode, Question
from memorycode.running.prompting import PromptBuilder
from memorycode.running.records import MemoryCost, StoredContext
from memorycode.running.redaction import redacted_recall
from memorycode.running.run_context import RunContext
from memorycode.running.strategy_calls import DirectCalls, StrategyCalls

T = TypeVar("T")


@dataclass(frozen=True)
class PreparedPrompt:
    """A question as it is put to a model: what was recalled and how that is written down, what was
    truncated of it, the prompt and its length. `overlong` says how it is over what the model takes,
    empty where it fits."""

    recall: Recall
    context: StoredContext
    truncated: Truncation | None
    prompt: Prompt
    context_tokens: int
    prompt_tokens: int
    overlong: str = ""


@dataclass(frozen=True)
class DueQuestion:
    """A question that is to be asked now, as often as it is repeated: its prompt, or, where there
    is none, how the strategy failed. `asked` counts what the recall asked the memory's model."""

    repeats: tuple[Question, ...]
    prepared: PreparedPrompt | None
    failure: StrategyFailed | None = None
    asked: Counter[str] = field(default_factory=Counter)


class EpisodeRunner:
    """Plays the episodes of one dialogue to a strategy, a fresh instance for each.

    `played` is whether anything was shown to the strategy at all; `model` and `embedder` count what
    it has them do.
    """

    def __init__(
        self,
        context: RunContext,
        plugin: StrategyPlugin,
        dialogue: Dialogue,
        *,
        oracle: bool | None,
        model: Model | None,
        room: int | None = None,
        calls: StrategyCalls | None = None,
    ) -> None:
        """Prepare to play; nothing is built yet.

        Args:
            context: What the whole run shares.
            plugin: Builds the strategy.
            dialogue: Whose sessions are played.
            oracle: Whether the strategy is shown gold labels; None leaves that to its instance.
            model: What the strategy may ask, if anything.
            room: Bounds a prompt, in tokens.
            calls: Calls the strategy; directly, unless something else is wanted.
        """
        self.context, self.plugin, self.dialogue = context, plugin, dialogue
        self.model = CountedModel(model, context.count_tokens) if model else None
        self.embedder = CountedEmbedder(context.embedder, context.count_tokens)
        self.played = False
        self._oracle, self._room = oracle, room
        self._seconds = 0.0
        self._episode = 0
        self._strategy: MemoryStrategy | None = None
        self._calls = calls or DirectCalls()
        self._doing = "building it"
        self._hung: StrategyHung | None = None
        self._store = ContextStore(dialogue)
        self._builder = PromptBuilder(context.prompts, dialogue.context.speakers)
        self._bounded: tuple[Recall, int, tuple[Recall, Truncation | None]] | None = None

    # ── a whole episode ───────────────────────────────────────────────────────────────────────

    def play(
        self,
        number: int,
        episode: Episode,
        wanted: Callable[[Question], bool],
        stopped: Callable[[], bool],
    ) -> Iterator[DueQuestion]:
        """Show the sessions of an episode, and prepare each question when it is due.

        Args:
            number: Of the episode among those of the dialogue: its instance's seed.
            episode: What is played.
            wanted: Whether a question is to be asked.
            stopped: Whether to end; looked at before each session and question.

        Raises:
            ModelUnavailable: the memory's model was asked and no call can succeed any more.
            NotInstalled: the embedder was asked and its packages are missing.
        """
        self._episode, self._strategy = number, None
        failure: StrategyFailed | None = None
        for session in episode.sessions:
            if stopped():
                return
            self.played = True
            failure = failure or self._hung
            if not failure:
                failure = self._shown(session)
            due = filter(wanted, episode.questions.get(session.index, ()))
            for _, repeats in groupby(due, key=lambda question: question.number):
                if stopped():
                    return
                yield self._due(tuple(repeats), failure)

    def _shown(self, session: Session) -> StrategyFailed | None:
        """Show a session; how the strategy failed, if it did."""
        try:
            with self._blaming(f"observing session {session.index}"):
                self.observe(session)
        except StrategyFailed as failed:
            return failed
        return None

    def _due(self, repeats: tuple[Question, ...], failure: StrategyFailed | None) -> DueQuestion:
        failure = failure or self._hung
        if failure:
            return DueQuestion(repeats, None, failure)
        before, prepared = self.asked, None
        try:
            with self._blaming(f"recalling after session {repeats[0].session}"):
                prepared = self.prepare(repeats[0])
        except StrategyFailed as failed:
            failure = failed
        return DueQuestion(repeats, prepared, failure, self.asked - before)

    @contextmanager
    def _blaming(self, doing: str) -> Iterator[None]:
        """Turn what the strategy raises into `StrategyFailed`.

        Raises what ends the run where the memory's call to the model or the embedder did: a
        strategy may have caught it and gone on without the answer, or raised something else. One
        that raises the like without having asked them speaks of a model of its own.
        """
        self._doing = doing
        try:
            yield
        except StrategyHung as hung:
            # What it would recall is never known: its memory of this dialogue is lost.
            self._hung = hung
            self._check_whole()
            raise
        except plugin_faults() as error:
            self._check_whole()
            raise StrategyFailed(self._blame(error, doing)) from error
        self._check_whole()

    def _check_whole(self) -> None:
        for asked in (self.model, self.embedder):
            if asked is not None and asked.gone is not None:
                raise asked.gone

    def _blame(self, error: BaseException, doing: str) -> str:
        # No line of source is read: where a plug-in's code stands may be no file.
        frames = [*traceback.walk_tb(error.__traceback__)]
        place = ""
        if frames:
            frame, line = frames[-1]
            place = f" ({Path(frame.f_code.co_filename).name}, line {line})"
        where = f"{self.plugin.spec.text}, dialogue {self.dialogue.number}, {doing}"
        told = self.context.secrets.with_environment().removed_from(named(error))
        return f"{where}: {told[:MOST_SHOWN]}{place}"

    # ── step by step: what a strategy raises is raised ────────────────────────────────────────

    @property
    def strategy(self) -> MemoryStrategy:
        """The instance that plays the episode, built when it is first needed."""
        if self._strategy is None:
            self._strategy = self._built()
        return self._strategy

    def observe(self, session: Session) -> None:
        """Show the strategy a session."""
        speakers, strategy = self.dialogue.context.speakers, self.strategy
        oracle = strategy.oracle if self._oracle is None else self._oracle
        view = session.oracle_view(speakers) if oracle else session.view(speakers)
        self._called(lambda: strategy.observe(view))

    def recall(self, query: str) -> Recall:
        """What the strategy recalls for a query, checked and without secrets."""
        strategy = self.strategy
        given = self._called(lambda: checked_recall(strategy.recall(query)))
        secrets = self.context.secrets.with_environment()
        return redacted_recall(given, self.dialogue, secrets)

    def prepare(self, question: Question) -> PreparedPrompt:
        """The prompt of a question, within the budget and the model's limit."""
        recalled = self.recall(question.query)
        prepared = self._prepared(recalled, question, self.context.context_budget)
        over = 0 if self._room is None else prepared.prompt_tokens - self._room
        if over > 0 and self.context.on_overflow == "truncate-oldest":
            # The recall has to do with what opening and question leave of the room.
            left = max(0, prepared.context_tokens - over)
            prepared = self._prepared(recalled, question, left)
        return prepared

    def cost(self, passage: Passage) -> int:
        """The tokens that a passage takes in the prompt."""
        return self.context.count_tokens(self._builder.part(passage))

    @property
    def asked(self) -> Counter[str]:
        """The calls to the memory's model that were answered, and their prompts' tokens."""
        return self.model.asked if self.model else Counter()

    @property
    def memory_cost(self) -> MemoryCost:
        """What the strategy took so far, in all episodes."""
        return MemoryCost.model_validate(
            {
                "seconds": self._seconds,
                **self.embedder.counts,
                **(self.model.counts if self.model else {}),
            }
        )

    def _built(self) -> MemoryStrategy:
        spec = self.plugin.spec.text
        seed = f"{self.context.seed}/{spec}/{self.dialogue.number}/{self._episode}"
        context = self.context.strategy_context(
            self.dialogue,
            self._calls.model(self.model) if self.model else None,
            self._calls.embedder(self.embedder),
            random.Random(seed),
        )
        if self.model is not None:
            context = replace(context, report_unreadable=self._calls.unreadable(self.model))
        strategy = self._called(lambda: self.plugin.build(context))
        if self._oracle not in (None, strategy.oracle):
            raise PluginError(f"oracle was {self._oracle} on trial and is {strategy.oracle} here")
        self.plugin.check_readable(strategy)
        return strategy

    def _prepared(self, recalled: Recall, question: Question, budget: int | None) -> PreparedPrompt:
        recall, truncated = self._within(recalled, budget)
        prompt = self._builder.prompt(recall, question.query, question.ref)
        first, *middle, last = map(self.context.count_tokens, prompt.parts)
        tokens = first + sum(middle) + last
        overlong = (
            f"the prompt has {tokens:,} tokens; the model's context leaves {self._room:,} for it"
            if self._room is not None and tokens > self._room
            else ""
        )
        return PreparedPrompt(
            recall=recall,
            context=self._store.store(recall),
            truncated=truncated,
            prompt=prompt,
            context_tokens=sum(middle) if recall.passages else 0,
            prompt_tokens=tokens,
            overlong=overlong,
        )

    def _within(self, recall: Recall, budget: int | None) -> tuple[Recall, Truncation | None]:
        """The recall as far as the budget holds it; one recall is truncated once for all
        questions."""
        if budget is None:
            return recall, None
        if self._bounded is None or self._bounded[0] is not recall or self._bounded[1] != budget:
            self._bounded = recall, budget, truncate_to_budget(recall, budget, self.cost)
        return self._bounded[2]

    def _called(self, do: Callable[[], T]) -> T:
        """What a call of the strategy gives; its time is the memory's."""
        started = time.perf_counter()
        try:
            return self._calls.call(self._doing, do)
        finally:
            self._seconds += time.perf_counter() - started
