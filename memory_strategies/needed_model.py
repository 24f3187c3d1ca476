"""What strategies have in common that cannot do without a language model."""

from __future__ import annotations

from memorycode.errors import UsageError
from memorycode.protocols import Model, StrategyContext


def needed_model(context: StrategyContext, strategy: str, purpose: str) -> Model:
    """The context's model. Raises `UsageError` where the run's model writes no prose; `purpose`
    says what the strategy needs it for, as in "rewrites its state"."""
    if context.model is None:
        raise UsageError(
            f"{strategy} {purpose} with a language model, which the run's model is not; choose "
            "one that writes prose, such as --model openai/NAME; ideal-mentee and replay do not"
        )
    return context.model
