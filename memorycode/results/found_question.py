"""Finds one question of a run and rebuilds its prompt to the byte."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memorycode.errors import RunFolderError, UsageError
from memorycode.models.chat_request import chat_messages
from memorycode.protocols import Message
from memorycode.results.answers import Answer
from memorycode.results.read import Run, read_run
from memorycode.running.contexts import ContextStore
from memorycode.running.folder import RunFolder
from memorycode.running.plan import Question
from memorycode.running.prompting import PromptBuilder
from memorycode.running.records import AskedRecord

_SHOWN = 12
"""Identifiers that a message lists."""


@dataclass(frozen=True)
class FoundQuestion:
    """A question with its answer and what was asked: `record` has the texts."""

    answer: Answer
    record: AskedRecord
    question: Question
    messages: tuple[Message, ...]

    @property
    def prompt(self) -> str:
        """The prompt's text; of a conversation, each message below its role."""
        if len(self.messages) == 1:
            return self.messages[0].text
        return "\n\n".join(f"── {message.role} ──\n{message.text}" for message in self.messages)

    @property
    def rules(self) -> list[dict[str, Any]]:
        """The rules with their verdicts by scorer."""
        return [
            {"object": rule.object, "check": rule.check, "elicited": elicited}
            | {scorer: verdicts[n] for scorer, verdicts in self.answer.verdicts.items()}
            for n, (rule, elicited) in enumerate(
                zip(self.question.rules, self.question.elicited, strict=True)
            )
        ]

    def as_json(self) -> dict[str, Any]:
        """The record with what was made of it, the prompt and the rules. Of a conversation the
        messages too."""
        answer = self.answer
        made = {
            "outcome": answer.failure or self.record.outcome,
            "verdicts": {scorer: list(given) for scorer, given in answer.verdicts.items()},
            "causes": {
                scorer: {f"{n}": cause for n, cause in causes.items()}
                for scorer, causes in answer.causes.items()
            },
            "found": answer.recalled.model_dump(mode="json") if answer.recalled else None,
        }
        return {
            "record": self.record.model_dump(mode="json", exclude={"further"}) | made,
            "prompt": self.prompt,
            **({"messages": chat_messages(self.messages)} if len(self.messages) > 1 else {}),
            "rules": self.rules,
        }


def find_question(path: Path | str, wanted: str) -> FoundQuestion:
    """The question whose id is `wanted`, or begins with it if only one does. Raises `UsageError`
    where there is none, or more than one."""
    run = read_run(path)
    answer = _the_one([one for one in run.answers if one.id in run.lines], path, wanted)
    folder = RunFolder(path)
    (record,) = folder.attempts_at([run.lines[answer.id]])
    question = run.questions[answer.place].model_copy(update={"repeat": answer.repeat})
    return FoundQuestion(answer, record, question, _messages(run, folder, record, question))


def _the_one(answers: list[Answer], path: Path | str, wanted: str) -> Answer:
    matches = [one for one in answers if one.id == wanted or one.id.startswith(f"{wanted}/")]
    found = [one for one in matches if one.id == wanted] or matches
    if not found:
        dialogue = wanted.split("/", maxsplit=1)[0]
        near = [one for one in answers if one.id.startswith(f"{dialogue}/")] or answers
        told = _listed(near)
        raise UsageError(f"{path}: no question {wanted!r}; there are, for example:{told}")
    if len(found) > 1:
        told = _listed(found)
        raise UsageError(f"{path}: {len(found)} questions begin with {wanted!r}:{told}")
    return found[0]


def _listed(answers: Iterable[Answer]) -> str:
    ids = [answer.id for answer in answers]
    more = f"\n  … and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    return "".join(f"\n  {id_}" for id_ in ids[:_SHOWN]) + more


def _messages(
    run: Run, folder: RunFolder, record: AskedRecord, question: Question
) -> tuple[Message, ...]:
    if not record.context:
        return ()  # the strategy failed before there was a prompt
    context = next((one for one in folder.contexts() if one.id == record.context), None)
    if context is None:
        raise RunFolderError(f"record {record.id}: its context {record.context} is missing")
    dialogue = run.dialogues[record.dialogue]
    recall = ContextStore(dialogue).restore(context)
    builder = PromptBuilder(run.manifest.settings.prompts, dialogue.context.speakers)
    return (*builder.prompt(recall, question.query, question.ref).messages, *record.further)
