"""Which retrievers owe what they find to the gold labels."""

from __future__ import annotations

from memorycode.protocols import OracleRetriever, Retriever


def sees_gold(retriever: Retriever) -> bool:
    """Whether what uses the retriever has to be marked as an oracle."""
    return isinstance(retriever, OracleRetriever) and retriever.oracle
