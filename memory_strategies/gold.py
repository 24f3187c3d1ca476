"""What oracles have in common: they read a session's gold labels."""

from __future__ import annotations

from memorycode.dialogue import Instruction, OracleView, SessionView
from memorycode.errors import PluginError


def gold_of(session: SessionView, strategy: str) -> tuple[Instruction, ...]:
    """The session's gold instructions. Raises `PluginError` for a view without them; `strategy`
    is named there."""
    if not isinstance(session, OracleView):
        raise PluginError(
            f"{strategy} reads the gold instructions, but session {session.index} came as a "
            "SessionView; hand an oracle OracleViews"
        )
    return session.instructions
