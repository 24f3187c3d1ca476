"""The renderer that has a language model write each session, after the paper's recipe (section 3):
personas, the length, what has to be told, no examples."""

from __future__ import annotations

import random

from memorycode.dialogue import Speakers
from memorycode.errors import UsageError
from memorycode.generation.settings import Length
from memorycode.generation.template import PlannedFiller, PlannedSession, Template
from memorycode.models.redacted import RedactedModel
from memorycode.prompts import DEFAULT_PACK, PromptPack
from memorycode.protocols import Model, Prompt
from memorycode.transcripts import joined, label_of, labelled, looks_like_name

TEMPERATURE = 0.9
"""The paper's sampling temperature; for whoever builds the model."""

_WORDS: dict[Length, int] = {"short": 290, "medium": 370, "long": 510}
"""About how many words a session has, as in the release (medians)."""


class ModelRenderer:
    """Asks a model once per session; the model knows nothing of other sessions.

    It draws no more than the order in which things are told. Put a `CheckedRenderer` around it.
    """

    def __init__(self, model: Model, prompts: PromptPack = DEFAULT_PACK) -> None:
        """Raises `UsageError` for a model that cannot write prose."""
        if not model.is_language_model:
            raise UsageError(f"{model.name} is no language model and cannot write conversations")
        self._model, self._prompts = RedactedModel(model), prompts

    def begin(self, template: Template, rng: random.Random) -> ModelWriter:
        return ModelWriter(self._model, self._prompts, template, rng)

    def render(self, template: Template, rng: random.Random) -> list[str]:
        writer = self.begin(template, rng)
        return [writer.write(index) for index in range(len(template.sessions))]


class ModelWriter:
    """Writes the sessions of one dialogue."""

    def __init__(
        self, model: Model, prompts: PromptPack, template: Template, rng: random.Random
    ) -> None:
        """A writer that has written nothing yet.

        Args:
            model: is asked once per session.
            prompts: the texts that it is asked with.
            template: the plan of the dialogue.
            rng: decides in which order things are told.
        """
        self._model, self._prompts = model, prompts
        self._template, self._rng = template, rng

    def write(self, index: int) -> str:
        """Raises `ModelError`."""
        answer = self._model.generate(Prompt(parts=(self.prompt(index),)))
        return transcript_of(answer.text, self._template.context.speakers)

    def prompt(self, index: int) -> str:
        """What the model is asked for session `index`."""
        planned = self._template.sessions[index]
        context = self._template.context
        return self._prompts.render(
            "render_session",
            mentor=context.mentor,
            mentee=context.mentee,
            company=context.company,
            mentor_persona=context.mentor_persona,
            mentee_persona=context.mentee_persona,
            number=index + 1,
            words=_WORDS[planned.length],
            matters="\n".join(f"* {matter}" for matter in self._matters(planned)),
        )

    def _matters(self, planned: PlannedSession) -> list[str]:
        matters = [self._filler(planned.filler)] if planned.filler else []
        for plan in planned.instructions:
            rule = plan.instruction.text
            if plan.replaces:
                old = plan.replaces.text
                matters.append(self._prompts.render("render_change", rule=rule, old=old))
            else:
                matters.append(self._prompts.render("render_rule", rule=rule))
        return self._rng.sample(matters, len(matters))

    def _filler(self, filler: PlannedFiller) -> str:
        kind = "topic" if filler.kind == "filler" else "habit"
        when = "again" if filler.returns else "first"
        return self._prompts.render(f"render_{kind}_{when}", topic=filler.topic)


def transcript_of(answer: str, speakers: Speakers) -> str:
    """The conversation in a model's answer, one turn a paragraph.

    Drops what stands before the first label, and the emphasis around labels. Lines without a label
    go on with the turn before them; labels of others stay, for a check to find.
    """
    both = (speakers.mentor, speakers.mentee)
    turns: list[str] = []
    for line in answer.splitlines():
        label = label_of(line, both)
        if label and (label.known or (turns and looks_like_name(label.name))):
            turns.append(labelled(label.name, line[label.end :].strip()))
        elif turns and line.strip() and not _is_fence(line):
            turns[-1] = f"{turns[-1].rstrip()} {line.strip()}"
    return joined(turns)


def _is_fence(line: str) -> bool:
    return line.strip().startswith("```") or not line.strip("-=* \t")
