"""Finds one question in a run's folder and rebuilds its prompt to the byte."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memorycode.dialogue import Dialogue
from memorycode.errors import RunFolderError, UsageError
from memorycode.models.chat_request import chat_messages
from memorycode.protocols import Message, Recall
from memorycode.running.contexts import ContextStore
from memorycode.running.folder import RunFolder
from memorycode.running.manifest import Manifest
from memorycode.running.plan import Question, plan_episodes
from memorycode.running.prompting import PromptBuilder
from memorycode.running.records import Record, StoredContext


@dataclass(frozen=True)
class FoundQuestion:
    """A record with what it refers to."""

    record: Record
    question: Question
    messages: tuple[Message, ...]

    @property
    def prompt(self) -> str:
        """The prompt's text; of a conversation, each message below its role."""
        if len(self.messages) == 1:
            return self.messages[0].text
        return "\n\n".join(f"── {message.role} ──\n{message.text}" for message in self.messages)

    def as_json(self) -> dict[str, Any]:
        """The record, the prompt, and the rules with their verdicts by scorer. Of a conversation
        the messages too."""
        rules = [
            {"object": rule.object, "check": rule.check, "elicited": elicited}
            | {scorer: verdicts[n] for scorer, verdicts in self.record.verdicts.items()}
            for n, (rule, elicited) in enumerate(
                zip(self.question.rules, self.question.elicited, strict=True)
            )
        ]
        return {
            "record": self.record.model_dump(mode="json", exclude={"further"}),
            "prompt": self.prompt,
            **({"messages": chat_messages(self.messages)} if len(self.messages) > 1 else {}),
            "rules": rules,
        }


def find_question(path: Path | str, wanted: str) -> FoundQuestion:
    """The question whose id is `wanted`, or begins with it if only one does."""
    folder = RunFolder(path)
    records = list(folder.records())
    matches = [r for r in records if r.id == wanted or r.id.startswith(f"{wanted}/")]
    found = [record for record in matches if record.id == wanted] or matches
    if not found:
        same_dialogue = [
            r.id for r in records if r.id.startswith(f"{wanted.split('/', maxsplit=1)[0]}/")
        ]
        near = _listed(same_dialogue or [r.id for r in records])
        raise UsageError(f"{path}: no question {wanted!r}; there are, for example:{near}")
    if len(found) > 1:
        ids = _listed([record.id for record in found])
        raise UsageError(f"{path}: {len(found)} questions begin with {wanted!r}:{ids}")
    record, manifest = found[0], folder.manifest
    dialogue = next((d for d in folder.dialogues() if d.number == record.dialogue), None)
    if dialogue is None:
        raise RunFolderError(f"record {record.id}: its dialogue is not in the folder")
    question = _question(record, manifest, dialogue)
    return FoundQuestion(record, question, _messages(folder, manifest, dialogue, record, question))


def _listed(ids: list[str]) -> str:
    more = f"\n  … and {len(ids) - 12} more" if len(ids) > 12 else ""
    return "".join(f"\n  {id_}" for id_ in ids[:12]) + more


def _question(record: Record, manifest: Manifest, dialogue: Dialogue) -> Question:
    entries = [e for e in manifest.settings.strategies if e.spec == record.strategy]
    for entry in entries:
        repeats = manifest.settings.repeats
        for episode in plan_episodes(dialogue, record.setting, entry.ask_after, repeats):
            for question in episode.all_questions:
                if question.id(record.strategy, record.model) == record.id:
                    return _matching(question, record)
    raise RunFolderError(f"record {record.id} is not among the questions of its dialogue")


def _matching(question: Question, record: Record) -> Question:
    for scorer, verdicts in record.verdicts.items():
        if len(verdicts) != len(question.rules):
            have = f"{len(verdicts)} {scorer} verdicts"
            raise RunFolderError(f"record {record.id}: {have}, {len(question.rules)} rules")
    return question


def _messages(
    folder: RunFolder, manifest: Manifest, dialogue: Dialogue, record: Record, question: Question
) -> tuple[Message, ...]:
    if not record.context:
        return ()  # the strategy failed before there was a prompt
    recall = restore_recall(folder.contexts(), dialogue, record.context)
    if recall is None:
        raise RunFolderError(f"record {record.id}: its context {record.context} is missing")
    builder = PromptBuilder(manifest.settings.prompts, dialogue.context.speakers)
    return (*builder.prompt(recall, question.query, question.ref).messages, *record.further)


def restore_recall(
    contexts: Iterable[StoredContext], dialogue: Dialogue, wanted: str
) -> Recall | None:
    """The recall that a context was stored from, without its notes."""
    for context in contexts:
        if context.id == wanted:
            return ContextStore(dialogue).restore(context)
    return None
