"""memorycode: a testbed for agent memory, around the MemoryCode benchmark (arXiv 2502.13791).

The names below are what a short script needs; the modules hold the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memorycode.lazy import names_in

if TYPE_CHECKING:
    from memorycode.datasets import load_dataset, write_dataset
    from memorycode.evaluation import evaluate
    from memorycode.reporting.tables import print_report

__all__ = ["evaluate", "load_dataset", "print_report", "write_dataset"]

__version__ = "0.1.0"

_HOMES = {
    "evaluate": "memorycode.evaluation",
    "load_dataset": "memorycode.datasets",
    "print_report": "memorycode.reporting.tables",
    "write_dataset": "memorycode.datasets",
}

# `memorycode --help` has no need of them.
__getattr__ = names_in(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
