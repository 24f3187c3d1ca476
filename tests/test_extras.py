"""What is not installed is named with its extra; what is not used is not loaded."""

from __future__ import annotations

import subprocess
import sys

import pytest

from memorycode.errors import PluginError
from memorycode.extras import needed

HEAVY = (
    "torch transformers sentence_transformers faiss tokenizers langchain langchain_core langgraph "
    "langmem llama_index mem0 qdrant_client datasets pyarrow"
)

_BUILT_WITHOUT_LIBRARIES = """
import random, sys
for name in {heavy!r}.split():
    sys.modules[name] = None
from memorycode.conformance.stand_ins import HashedWords
from memorycode.dialogue import Speakers
from memorycode.plugins import StrategyPlugin
from memorycode.protocols import StrategyContext
class Model:
    name, is_language_model, generate = "any", True, None
speakers = Speakers(mentor="A", mentee="B")
context = StrategyContext(speakers, Model(), HashedWords(), len, None, random.Random(0))
StrategyPlugin.load({spec!r}).build(context)
"""


def test_a_missing_library_is_named_with_its_extra() -> None:
    with pytest.raises(PluginError, match=r"pip install 'memorycode\[mem0\]' .*no_such_module"):
        needed("mem0", "json", "no_such_module")


def test_a_library_that_was_missing_is_looked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "decimal_of_ours", None)
    with pytest.raises(PluginError):
        needed("x", "decimal_of_ours")
    monkeypatch.setitem(sys.modules, "decimal_of_ours", sys)
    needed("x", "decimal_of_ours")


@pytest.mark.parametrize(
    ("spec", "extra"),
    [
        ("mem0", "mem0"),
        ("langgraph", "langgraph"),
        ("langmem", "langmem"),
        ("llama_index", "llama-index"),
        ("langchain:builtins:dict", "langchain"),
    ],
)
def test_each_adapter_names_its_extra(spec: str, extra: str) -> None:
    code = _BUILT_WITHOUT_LIBRARIES.format(heavy=HEAVY, spec=spec)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert f"PluginError: this needs the extra {extra}" in run.stderr
    assert f"pip install 'memorycode[{extra}]'" in run.stderr


@pytest.mark.parametrize(
    "command",
    [
        "import memorycode",
        "from memorycode.cli import main; sys.argv[1:] = ['--help']; main()",
        "from memorycode.cli import main; sys.argv[1:] = ['strategies']; main()",
        "import memory_strategies.mem0_memory, memory_strategies.langmem_memory, "
        "memory_strategies.langgraph_memory, memory_strategies.llama_index_memory, "
        "memory_strategies.langchain_memory, baselines.langchain_retriever",
    ],
)
def test_nothing_heavy_is_loaded_before_it_is_used(command: str) -> None:
    code = (
        f"import sys\ntry:\n    {command}\nexcept SystemExit:\n    pass\n"
        f"sys.exit(repr([n for n in {HEAVY!r}.split() if n in sys.modules] or None))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.stderr.strip() == "None"
