"""The packed data of every dialogue, worked out in several processes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from memorycode.dialogue import Dialogue
from memorycode.processes import spread
from memorycode.reporting.html.dialogue_data import DialogueData
from memorycode.reporting.html.flips import Flip, flips
from memorycode.reporting.html.packing import pack
from memorycode.results.answers import Answer
from memorycode.results.read import Run
from memorycode.running.contexts_by_dialogue import ContextsByDialogue
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


class _Recorded(NamedTuple):
    """What a run has of one dialogue: the answers that were recorded, by their ids, and where the
    line of each stands."""

    answers: tuple[Answer, ...]
    lines: tuple[int, ...]


_NOTHING = _Recorded((), ())


class _Work(NamedTuple):
    """A piece, and what each of its runs has of it."""

    piece: Piece
    recorded: tuple[_Recorded, ...]


class PackedPiece(NamedTuple):
    piece: Piece
    packed: str
    flips: tuple[Flip, ...]


@dataclass(frozen=True)
class _Source:
    """A run's folder, opened."""

    path: str
    settings: RunSettings
    dialogues: Mapping[int, Dialogue]
    contexts: ContextsByDialogue


@dataclass(frozen=True)
class Pieces:
    """The dialogues of some runs; one that several runs have word for word is one piece."""

    sources: tuple[_Source, ...]
    all: tuple[Piece, ...]
    _recorded: tuple[Mapping[int, _Recorded], ...]

    def packed(self, workers: int = 1) -> Iterator[PackedPiece]:
        """The data of each, in no order."""
        work = [
            _Work(
                piece, tuple(self._recorded[run].get(piece.number, _NOTHING) for run in piece.runs)
            )
            for piece in self.all
        ]
        yield from spread(partial(_packer, self.sources), work, workers)


def open_pieces(runs: Sequence[Run]) -> Pieces:
    """Raises `RunFolderError` for a folder whose contexts cannot be read."""
    sources = tuple(map(_open, runs))
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
    return Pieces(
        sources,
        tuple(Piece(place, *facts) for place, facts in enumerate(found)),
        tuple(map(_recorded, runs)),
    )


def _open(run: Run) -> _Source:
    return _Source(
        path=run.path,
        settings=run.manifest.settings,
        dialogues=run.dialogues,
        contexts=RunFolder(run.path).contexts_by_dialogue(),
    )


def _recorded(run: Run) -> dict[int, _Recorded]:
    """What was recorded of each dialogue, by its number."""
    by_dialogue: defaultdict[int, list[Answer]] = defaultdict(list)
    for answer in run.answers:
        if answer.id in run.lines:
            by_dialogue[answer.dialogue].append(answer)
    found = {}
    for number, answers in by_dialogue.items():
        answers.sort(key=lambda answer: answer.id)
        found[number] = _Recorded(tuple(answers), tuple(run.lines[one.id] for one in answers))
    return found


def _packer(sources: Sequence[_Source]) -> Callable[[_Work], PackedPiece]:
    return partial(_pack, sources)


def _pack(sources: Sequence[_Source], work: _Work) -> PackedPiece:
    piece = work.piece
    data = DialogueData(sources[piece.runs[0]].dialogues[piece.number])
    for run, (answers, lines) in zip(piece.runs, work.recorded, strict=True):
        source = sources[run]
        records = RunFolder(source.path).attempts_at(lines)
        data.add_run(
            run,
            source.settings,
            zip(answers, records, strict=True),
            source.contexts.of(piece.number),
        )
    answers_by_run = {
        run: (sources[run].settings, recorded.answers)
        for run, recorded in zip(piece.runs, work.recorded, strict=True)
    }
    return PackedPiece(piece, pack(data.as_json()), tuple(flips(answers_by_run)))
