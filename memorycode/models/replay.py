"""Answers from recorded outputs, so that a published model can be scored without asking it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from memorycode.datasets.outputs import RecordedDialogue, load_output, output_files
from memorycode.errors import NoRecordedAnswer
from memorycode.protocols import Completion, Prompt, QuestionRef

_DIALOGUES = 64
"""Dialogues held at once: questions about one come close together."""


class ReplayModel:
    """replay/DIR: outputs recorded as output_N.json, found by the question's place.

    The prompt's text is not looked at.

    A file is read when its dialogue is first asked about. Raises `DatasetError` where the folder,
    or later a file in it, is not in the layout.
    """

    is_language_model = False
    note = (
        "replay answers by the question's place and not from the prompt: every strategy has the "
        "same scores."
    )

    def __init__(self, folder: Path | str) -> None:
        self._folder = Path(folder)
        self._files = output_files(self._folder)
        self._dialogue = lru_cache(maxsize=_DIALOGUES)(self._read)
        self.name = f"replay/{self._folder.resolve().name}"

    def generate(self, prompt: Prompt) -> Completion:
        """The recorded answer to the question; raises `NoRecordedAnswer` where there is none."""
        if prompt.ref is None:
            raise NoRecordedAnswer(
                f"{self._folder}: recorded answers are found by their place in the data set, "
                "and this prompt does not say which question it is"
            )
        return Completion(text=self._answer(prompt.ref))

    def _answer(self, ref: QuestionRef) -> str:
        if ref.dialogue not in self._files:
            raise self._missing(ref, f"no output_{ref.dialogue}.json")
        recorded = self._dialogue(ref.dialogue)
        if ref.setting not in recorded.settings:
            raise self._missing(ref, "this setting is not recorded")
        answers = recorded.answers(ref.setting, ref.session)
        if not 0 <= ref.number < len(answers):
            raise self._missing(ref, f"{len(answers)} recorded there")
        return answers[ref.number]

    def _read(self, number: int) -> RecordedDialogue:
        return load_output(self._files[number], number)

    def _missing(self, ref: QuestionRef, why: str) -> NoRecordedAnswer:
        return NoRecordedAnswer(
            f"{self._folder}: dialogue {ref.dialogue}, session {ref.session}, setting "
            f"{ref.setting}: no recorded answer number {ref.number} ({why}; numbers count from 0)"
        )
