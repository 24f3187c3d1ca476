"""The packed data of every dialogue, worked out in several processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from memorycode.dialogue import Dialogue
from memorycode.processes import spread
from memorycode.reporting.html.dialogue_data import DialogueData
from memorycode.reporting.html.flips import Flip, flips
from memorycode.reporting.html.packing import pack
from memorycode.running.by_dialogue import RunByDialogue
from memorycode.running.folder import RunFolder
from memorycode.running.manifest import RunSettings


class Piece(NamedTuple):
    """One dialogue of the page, with the runs that have it, by their numbers."""

    place: int
    number: int
    sessions: int
    runs: tuple[int, ...]

    @property
    def id(self) -> str:
        """Of its element in the page."""
        return f"dialogue-{self.place}"


class PackedPiece(NamedTuple):
    piece: Piece
    packed: str
    flips: tuple[Flip, ...]


@dataclass(frozen=True)
class _Source:
    """A run's folder, opened."""

    settings: RunSettings
    dialogues: dict[int, Dialogue]
    lines: RunByDialogue


@dataclass(frozen=True)
class Pieces:
    """The dialogues of some runs; one that several runs have word for word is one piece."""

    sources: tuple[_Source, ...]
    all: tuple[Piece, ...]

    def packed(self, workers: int = 1) -> Iterator[PackedPiece]:
        """The data of each, in no order."""
        yield from spread(partial(_packer, self.sources), self.all, workers)


def open_pieces(paths: Sequence[Path | str]) -> Pieces:
    """Raises `RunFolderError` for a folder that cannot be read."""
    sources = tuple(_open(RunFolder(path)) for path in paths)
    variants: dict[int, list[tuple[Dialogue, list[int]]]] = {}
    for run, source in enumerate(sources):
        for number, dialogue in source.dialogues.items():
            known = variants.setdefault(number, [])
            same = next((runs for other, runs in known if other == dialogue), None)
            if same is None:
                known.append((dialogue, [run]))
            else:
                same.append(run)
    found = [
        (number, len(dialogue.sessions), tuple(runs))
        for number, known in sorted(variants.items())
        for dialogue, runs in known
    ]
    return Pieces(sources, tuple(Piece(place, *facts) for place, facts in enumerate(found)))


def _open(folder: RunFolder) -> _Source:
    return _Source(
        settings=folder.manifest.settings,
        dialogues={dialogue.number: dialogue for dialogue in folder.dialogues()},
        lines=folder.by_dialogue(),
    )


def _packer(sources: Sequence[_Source]) -> Callable[[Piece], PackedPiece]:
    return partial(_pack, sources)


def _pack(sources: Sequence[_Source], piece: Piece) -> PackedPiece:
    data = DialogueData(sources[piece.runs[0]].dialogues[piece.number])
    for run in piece.runs:
        source = sources[run]
        records, contexts = source.lines.records(piece.number), source.lines.contexts(piece.number)
        data.add_run(run, source.settings, records, contexts)
    value = data.as_json()
    settings = [s.settings if n in piece.runs else None for n, s in enumerate(sources)]
    return PackedPiece(piece, pack(value), tuple(flips(value, settings)))
