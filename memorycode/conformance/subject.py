"""The strategy under check, built and played to as a run does it."""

from __future__ import annotations

import inspect
import json
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NoReturn

from memorycode.conformance.stand_ins import HashedWords, NoteTaker
from memorycode.conformance.synthetic_dialogues import (
    QUERIES,
    SyntheticDialogue,
    synthetic_dialogue,
)
from memorycode.dialogue import Dialogue
from memorycode.embedders import load_embedder
from memorycode.errors import Fault, NotApplicable
from memorycode.frozen import Frozen
from memorycode.model_options import choose_model
from memorycode.plugin_faults import named, optional, plugin_faults
from memorycode.plugins import ModelPlugin, StrategyPlugin, check_plugins
from memorycode.prompts import DEFAULT_PACK
from memorycode.protocols import Embedder, MemoryStrategy, Model, Recall
from memorycode.running.checks import checked_recall
from memorycode.running.episode import EpisodeRunner
from memorycode.running.run_context import RunContext
from memorycode.scoring.rule_cache import WordingReader
from memorycode.tokens import token_counter

Passages = list[list[tuple[str, int | None]]]
"""The texts of recalls and the sessions they came from."""

_REPLAYS = 3


class Conditions(Frozen):
    """What is checked and with what: a strategy's spec, a model's (None: the stand-in), an
    embedder's name (None: the stand-in), a seed."""

    spec: str
    model: str | None = None
    embedder: str | None = None
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Subject:
    """The strategy under check. `model` is None where the chosen one writes no prose."""

    conditions: Conditions
    plugin: StrategyPlugin
    model: Model | None
    embedder: Embedder
    recalled: Counter[str] = field(default_factory=Counter)
    """How many characters were recalled so far: where there are none, nothing can be compared."""

    heard_halves: set[str] = field(default_factory=set)
    """The stand-ins that were sent half a surrogate pair, which no real one takes."""

    @classmethod
    def load(cls, conditions: Conditions) -> Subject:
        """Import all that is named. Raises `UsageError` or `PluginError`."""
        spec, name = conditions.model, conditions.embedder
        plugin = StrategyPlugin.load(conditions.spec)
        models = [] if spec is None else [ModelPlugin.load(choose_model(spec))]
        halves: set[str] = set()
        embedder: Embedder = HashedWords(halves) if name is None else load_embedder(name)
        check_plugins([plugin], models, embedder)
        model: Model = models[0].build() if models else NoteTaker(halves)
        return cls(
            conditions=conditions,
            plugin=plugin,
            model=model if model.is_language_model else None,
            embedder=embedder,
            heard_halves=halves,
        )

    def count_tokens(self, text: str) -> int:
        """In the tokenizer of a run, which is loaded when it is first needed."""
        return self._counter(text)

    @cached_property
    def _counter(self) -> Callable[[str], int]:
        return token_counter()

    def run_context(self, budget: int | None = None) -> RunContext:
        """What a run hands to strategies; without scorers, for nothing is scored here."""
        seed = self.conditions.seed
        return RunContext(
            DEFAULT_PACK, self.count_tokens, (), WordingReader(), self.embedder, seed, budget
        )

    def synthetic(
        self, number: int, sessions: int, *, people_of: int | None = None
    ) -> SyntheticDialogue:
        """The kit's dialogue of this number, with the names that the seed draws."""
        return synthetic_dialogue(number, sessions, self.conditions.seed, people_of=people_of)

    def start(
        self, dialogue: Dialogue, *, model: Model | None = None, budget: int | None = None
    ) -> Playthrough:
        """A fresh instance at a dialogue, with `model` in place of the chosen one. Raises `Fault`
        where it cannot be built."""
        runner = EpisodeRunner(
            self.run_context(budget), self.plugin, dialogue, oracle=None, model=model or self.model
        )
        playthrough = Playthrough(self, runner)
        with self.blaming("building it"):
            _ = playthrough.strategy
        return playthrough

    @cached_property
    def is_oracle(self) -> bool:
        return self.start(self.synthetic(0, 1).dialogue).strategy.oracle

    @property
    def recalls_nothing(self) -> bool:
        """Whether the class says that there is nothing to be recalled, as of a control."""
        return optional(self.plugin.factory, "recalls_nothing", False) is True

    def counted(self, recall: Recall) -> Recall:
        """The recall, once what is in it is counted."""
        self.recalled["characters"] += len(recall.text.strip())
        return recall

    def blame_difference(self, dialogue: Dialogue, expected: Passages, what: str) -> NoReturn:
        """Raise a `Fault` that says `what`, or `NotApplicable` where a dialogue that is simply
        played again does not give the `expected` recalls either."""
        for _ in range(_REPLAYS):
            if passages_of(self.start(dialogue).play()) != expected:
                raise NotApplicable("its recall differs from play to play: same_seed says more")
        raise Fault(what)

    @contextmanager
    def blaming(self, doing: str) -> Iterator[None]:
        """Turn what the strategy raises into a `Fault` that says where and over what."""
        try:
            yield
        except Fault:
            raise
        except plugin_faults() as error:
            raise Fault(f"{doing}: {named(error)}{self._place(error)}") from error

    def _place(self, error: BaseException) -> str:
        """The last line of the strategy's own file on the way there, else the innermost line."""
        told = [traceback.extract_tb(e.__traceback__) for e in (error, error.__cause__) if e]
        own = [frame for frames in told for frame in frames if frame.filename == self._file]
        last = (own or told[-1])[-1:]
        return "".join(f" ({_short(frame.filename)}, line {frame.lineno})" for frame in last)

    @cached_property
    def _file(self) -> str:
        try:
            return inspect.getsourcefile(self.plugin.factory) or ""
        except TypeError:
            return ""


@dataclass(frozen=True)
class Playthrough:
    """One instance of the strategy at one dialogue: what it raises is a `Fault`."""

    subject: Subject
    runner: EpisodeRunner

    @property
    def strategy(self) -> MemoryStrategy:
        return self.runner.strategy

    def observe(self, index: int) -> None:
        """Show it a session. Raises `Fault`."""
        with self.subject.blaming(f"observing session {index}"):
            self.runner.observe(self.runner.dialogue.sessions[index])

    def observe_all(self) -> None:
        for index in range(len(self.runner.dialogue.sessions)):
            self.observe(index)

    def recall(self, query: str = QUERIES[0]) -> Recall:
        """What it recalls now, checked as a run checks it. Raises `Fault`."""
        with self.subject.blaming("recalling"):
            return self.subject.counted(self.runner.recall(query))

    def handed_out(self, query: str) -> Recall:
        """The recall that the strategy hands out, of which a run takes a copy. Raises `Fault`."""
        with self.subject.blaming("recalling"):
            given = self.strategy.recall(query)
            self.subject.counted(checked_recall(given))
            return given

    def recalls(self) -> tuple[Recall, ...]:
        """What it recalls now, per query of the kit's."""
        return tuple(map(self.recall, QUERIES))

    def play(self) -> tuple[Recall, ...]:
        """Show it the whole dialogue and ask. Raises `Fault`."""
        self.observe_all()
        return self.recalls()


def passages_of(recalls: Iterable[Recall]) -> Passages:
    """What counts when recalls are compared: notes may hold anything, such as counts."""
    return [[(p.text, p.session) for p in recall.passages] for recall in recalls]


def everything_in(recalls: Iterable[Recall]) -> str:
    """All text that recalls hold, notes among it, in one case so that it can be searched."""
    parts = [f"{recall.text}\n{json.dumps(dict(recall.notes))}" for recall in recalls]
    return "\n".join(parts).casefold()


def _short(file: str) -> str:
    """A file as people name it from where they stand."""
    path = Path(file)
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
