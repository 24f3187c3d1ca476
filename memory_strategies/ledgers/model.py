"""Guidelines extracted by a model: one call per session says what to change in the ledger."""

from __future__ import annotations

from itertools import count

from pydantic import JsonValue

from memory_strategies.ledgers.ledger import MAX_CHARACTERS, Ledger
from memory_strategies.ledgers.operations import OPERATIONS_SCHEMA, Operation, operations_in
from memorycode.dialogue import SessionView
from memorycode.errors import ModelError, ModelUnavailable
from memorycode.protocols import Model, Passage, Prompt, StrategyContext
from memorycode.transcripts import labelled


class ModelExtraction:
    """Asks the model what a session adds to the ledger, changes in it and takes out of it.

    The model sees the entries by their numbers, which are never given twice. An answer that cannot
    be read leaves the ledger as it is; the notes count such sessions, and operations without sense.
    """

    def __init__(self, context: StrategyContext, model: Model) -> None:
        self._context, self._model = context, model
        self._numbers = count(1)
        self._mishaps = dict.fromkeys(("failed", "empty", "unreadable", "unknown", "refused"), 0)

    @property
    def notes(self) -> dict[str, JsonValue]:
        """What went wrong: sessions without an answer, with an empty or an unreadable one; then
        operations on entries that are not there, and those without sense or with a text that is
        empty or too long."""
        return dict(self._mishaps)

    def update(self, ledger: Ledger, session: SessionView) -> None:
        """Raises `ModelUnavailable`; every other failure is counted."""
        try:
            answer = self._model.generate(self._prompt(ledger, session)).text
        except ModelUnavailable:
            raise
        except ModelError:
            self._mishaps["failed"] += 1
            return
        operations = operations_in(answer)
        if operations is None:
            self._mishaps["unreadable" if answer.strip() else "empty"] += 1
            self._context.report_unreadable()
            return
        self._mishaps["refused"] += operations.senseless
        if operations.senseless and not operations.read:
            self._context.report_unreadable()
        for operation in operations.read:
            self._apply(ledger, operation, session)

    def _apply(self, ledger: Ledger, operation: Operation, session: SessionView) -> None:
        known = operation.id in ledger
        if operation.op != "add" and not known:
            self._mishaps["unknown"] += 1
        if operation.op == "withdraw":
            ledger.withdraw(operation.id)
            return
        text = labelled(session.speakers.mentor, operation.text)
        if not operation.text or len(text) > MAX_CHARACTERS:
            self._mishaps["refused"] += 1
            return
        # A guideline is not lost for a wrong number: it is then a new one.
        key = operation.id if operation.op == "update" and known else next(self._numbers)
        ledger.write(key, Passage(text=text, session=session.index))

    def _prompt(self, ledger: Ledger, session: SessionView) -> Prompt:
        pack, speakers = self._context.prompts, session.speakers.model_dump()
        opened = labelled(session.speakers.mentor, "")
        lines = (f"[{key}] {passage.text.removeprefix(opened)}" for key, passage in ledger)
        text = pack.render(
            "update_ledger",
            ledger="\n".join(lines) or pack.render("nothing", **speakers).strip(),
            session=session.text,
            **speakers,
        )
        return Prompt(parts=(text,), schema=OPERATIONS_SCHEMA)
