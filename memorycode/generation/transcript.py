"""A conversation as it is being written: turns, and phrases drawn without repeating."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

from memorycode.dialogue import Speakers
from memorycode.transcripts import joined, labelled

T = TypeVar("T")


class Deck:
    """Deals phrases of a list in random order, and none again before all were dealt."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._left: dict[str, list[int]] = {}

    def has_new(self, key: str) -> bool:
        """Whether the list known as `key` has phrases that were never dealt."""
        return key not in self._left or bool(self._left[key])

    def deal(self, key: str, phrases: Sequence[T]) -> T:
        """A phrase of the list known as `key`."""
        left = self._left.get(key)
        if not left:
            left = self._left[key] = self._rng.sample(range(len(phrases)), len(phrases))
        return phrases[left.pop()]


class Transcript:
    """Turns of two speakers. What one says twice in a row is one turn, so they alternate."""

    def __init__(self, speakers: Speakers) -> None:
        self._speakers = speakers
        self._people = speakers.model_dump(include={"mentor", "mentee", "company"})
        self._turns: list[tuple[str, list[str]]] = []

    def mentor(self, phrase: str, **variables: str) -> None:
        self._say(self._speakers.mentor, phrase, variables)

    def mentee(self, phrase: str, **variables: str) -> None:
        self._say(self._speakers.mentee, phrase, variables)

    def exchange(self, pair: tuple[str, str], **variables: str) -> None:
        """The mentor, then the mentee."""
        self.mentor(pair[0], **variables)
        self.mentee(pair[1], **variables)

    def exchange_by_mentee(self, pair: tuple[str, str], **variables: str) -> None:
        """The mentee, then the mentor."""
        self.mentee(pair[0], **variables)
        self.mentor(pair[1], **variables)

    def _say(self, speaker: str, phrase: str, variables: dict[str, str]) -> None:
        said = phrase.format_map(self._people | variables)
        if self._turns and self._turns[-1][0] == speaker:
            self._turns[-1][1].append(said)
        else:
            self._turns.append((speaker, [said]))

    @property
    def text(self) -> str:
        """Turns as ``Name: …``, with a blank line between two."""
        return joined(labelled(speaker, " ".join(said)) for speaker, said in self._turns)
