"""The plan of a dialogue: who meets, and what is told in which session. No prose yet."""

from __future__ import annotations

from typing import Literal

from memorycode.dialogue import Context, Instruction
from memorycode.frozen import Frozen
from memorycode.generation.seeds import Persona
from memorycode.generation.settings import Length

FillerKind = Literal["filler", "filler-instruction"]


class PlannedInstruction(Frozen):
    """An instruction to tell, and the one of its family that it replaces, if any.

    `replaced_session` is where that one was told. `returns` says that this version itself had
    been told before.
    """

    instruction: Instruction
    replaces: Instruction | None = None
    replaced_session: int | None = None
    returns: bool = False

    @property
    def type(self) -> str:
        return "instruction-update" if self.replaces else "instruction-add"


class PlannedFiller(Frozen):
    """A filler to talk about.

    `version` is the version of a filler instruction; of a topic it counts how often it came back.
    `returns` says that it was told before.
    """

    kind: FillerKind
    number: int
    version: int
    topic: str
    returns: bool = False

    @property
    def type(self) -> str:
        return f"{self.kind}-{'update' if self.returns else 'add'}"


class PlannedSession(Frozen):
    """What one session has to carry."""

    length: Length
    instructions: tuple[PlannedInstruction, ...] = ()
    filler: PlannedFiller | None = None


class Template(Frozen):
    """The plan of one dialogue, all that a renderer is told.

    `shortage` is how many instructions it has less than the settings asked for, where the pool, or
    the settings themselves, left nothing to tell.
    """

    context: Context
    mentor: Persona
    mentee: Persona
    sessions: tuple[PlannedSession, ...]
    shortage: int = 0
