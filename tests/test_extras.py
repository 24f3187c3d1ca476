"""What is not installed is named with its extra, before anything is asked; what is not used is not
loaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memorycode.ablation.grid import make_grid
from memorycode.ablation.job import measure_grid
from memorycode.conformance.subject import Conditions, Subject
from memorycode.datasets.release import write_dataset
from memorycode.dialogue import Dialogue, SessionView
from memorycode.embedding.sentence_embedder import SentenceEmbedder
from memorycode.errors import NotInstalled, PluginError
from memorycode.evaluation import evaluate
from memorycode.extras import check_installed, needed
from memorycode.protocols import Recall, StrategyContext
from memorycode.running.folder import RunFolder

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
    assert f"NotInstalled: this needs the extra {extra}" in run.stderr
    assert f"pip install 'memorycode[{extra}]'" in run.stderr


# ── before the first question ─────────────────────────────────────────────────────────────────

_DENSE = "sentence_transformers tokenizers faiss"

# A strategy, a model, the modules that are missing, the extras that bring them.
_NEEDS = [
    ("mem0", "ideal-mentee", f"mem0 {_DENSE}", "mem0,dense"),
    ("mem0", "ideal-mentee", _DENSE, "mem0,dense"),
    ("mem0", "ideal-mentee", "qdrant_client", "mem0,dense"),
    ("langgraph", "ideal-mentee", f"langgraph.store {_DENSE}", "langgraph,dense"),
    ("langmem", "ideal-mentee", f"langmem {_DENSE}", "langmem,dense"),
    ("llama_index", "ideal-mentee", f"llama_index.core {_DENSE}", "llama-index,dense"),
    ("langchain:builtins:dict", "ideal-mentee", "langchain_core", "langchain"),
    ("rag:k=1,retriever=langchain:builtins:dict", "ideal-mentee", "langchain_core", "langchain"),
    ("rag:k=1,retriever=dense", "ideal-mentee", "faiss", "dense"),
    ("rag:k=1,retriever=dense", "ideal-mentee", "sentence_transformers", "dense"),
    ("rag:k=1,retriever=hybrid", "ideal-mentee", _DENSE, "dense"),
    ("rag:k=1,retriever=rerank:first=dense;model=x", "ideal-mentee", "faiss", "dense"),
    ("rag:k=1,retriever=rerank:model=x", "ideal-mentee", _DENSE, "dense"),
    ("rag:k=1,unit=window:64", "ideal-mentee", "langchain_text_splitters", "langchain"),
    ("no_memory", "langchain/openai:x", "langchain", "langchain-models"),
    ("no_memory", "local/smollm2", "xllamacpp", "local"),
    ("mem0", "local/smollm2", f"xllamacpp mem0 {_DENSE}", "local,mem0,dense"),
]


def _miss(monkeypatch: pytest.MonkeyPatch, modules: str) -> None:
    """As if they were not installed."""
    for module in modules.split():
        monkeypatch.setitem(sys.modules, module, None)


@pytest.mark.parametrize("needs", _NEEDS)
def test_a_run_that_lacks_an_extra_does_not_begin(
    small_dialogue: Dialogue,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    needs: tuple[str, str, str, str],
) -> None:
    """One command installs all that is missing, whoever of them needs it."""
    strategy, model, modules, extras = needs
    _miss(monkeypatch, modules)
    with pytest.raises(PluginError) as raised:
        evaluate(
            [small_dialogue],
            strategies=["full_history", strategy],
            models=[model],
            out=tmp_path / "out",
        )
    assert f"pip install 'memorycode[{extras}]'" in str(raised.value)
    assert not (tmp_path / "out").exists()


def test_a_run_on_ray_without_ray_does_not_begin(
    small_dialogue: Dialogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed.cache_clear()
    _miss(monkeypatch, "ray")
    with pytest.raises(PluginError, match=r"pip install 'memorycode\[ray\]'"):
        evaluate([small_dialogue], backend="ray", out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_what_nobody_needs_may_be_missing(
    small_dialogue: Dialogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _miss(monkeypatch, f"{HEAVY} xllamacpp ray")
    strategies = ["full_history", "rag:k=1", "rag:k=1,retriever=rerank:url=http://127.0.0.1:1/x"]
    report = evaluate([small_dialogue], strategies=strategies, out=tmp_path)
    assert [row.answered for row in report.rows] == [2, 2, 0]  # nobody listens there


class Quiet:
    """Embeds, without having said so, and takes no notice of what comes of it."""

    oracle = False
    ask_after = "last"

    def __init__(self, context: StrategyContext) -> None:
        self.context = context

    def observe(self, session: SessionView) -> None:
        try:
            self.context.embedder.pieces(session.text)
        except Exception:
            return

    def recall(self, query: str) -> Recall:
        return Recall()


def test_a_memory_that_did_not_say_that_it_embeds_ends_the_run_and_fails_no_question(
    small_dialogue: Dialogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would fail all of them, one by one, or go on without what it was to find."""
    monkeypatch.setitem(sys.modules, "quiet", sys.modules[__name__])
    monkeypatch.setattr(
        SentenceEmbedder, "pieces", lambda *_: needed("dense", "no_such_module_of_ours")
    )
    with pytest.raises(NotInstalled, match=r"'memorycode\[dense\]'"):
        evaluate([small_dialogue], strategies=["quiet:Quiet"], out=tmp_path)
    assert list(RunFolder(tmp_path).records()) == []


def test_a_kit_that_lacks_an_extra_does_not_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stand-in for the embedder needs nothing."""
    _miss(monkeypatch, f"mem0 {_DENSE}")
    with pytest.raises(PluginError, match=r"'memorycode\[mem0\]'"):
        Subject.load(Conditions(spec="mem0"))
    with pytest.raises(PluginError, match=r"'memorycode\[mem0,dense\]'"):
        Subject.load(Conditions(spec="mem0", embedder="all-MiniLM-L6-v2"))


@pytest.mark.parametrize(
    ("retriever", "modules"),
    [("dense", "faiss"), ("hybrid", _DENSE), ("rerank:model=x", "sentence_transformers")],
)
def test_a_grid_that_lacks_an_extra_does_not_begin(
    small_dialogue: Dialogue, monkeypatch: pytest.MonkeyPatch, retriever: str, modules: str
) -> None:
    _miss(monkeypatch, modules)
    grid = make_grid({}).with_options(retriever=("bm25", retriever))
    with pytest.raises(PluginError, match=r"pip install 'memorycode\[dense\]'"):
        measure_grid([small_dialogue], grid)


_WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {missing!r}.split():
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing())
from memorycode.cli import main
main()
"""


def test_the_command_asks_nothing_where_an_extra_is_missing(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    """Also of an experiment's later parts."""
    write_dataset([small_dialogue], tmp_path / "dataset")
    experiment = tmp_path / "two.toml"
    experiment.write_text(
        'dataset = "dataset"\n[[parts]]\nsetting = "history"\nstrategies = ["full_history"]\n'
        '[[parts]]\nsetting = "session"\nstrategies = ["mem0"]\n'
    )
    command = ["run", str(experiment), "--out", "out", "--json"]
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT.format(missing=f"mem0 {_DENSE}"), *command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == (
        "memorycode: not installed: mem0 needs mem0 and sentence_transformers and tokenizers: "
        "pip install 'memorycode[mem0,dense]'\n"
    )
    assert done.stdout == ""
    assert not (tmp_path / "out").exists()


def test_what_a_plugin_needs_is_told_by_its_name() -> None:
    with pytest.raises(PluginError) as raised:
        check_installed(
            {"one": {"a": ("json", "no_such")}, "two": {"b": ("json.no",)}, "three": {"c": ("re",)}}
        )
    assert str(raised.value) == (
        "not installed: one needs no_such; two needs json.no: pip install 'memorycode[a,b]'"
    )


# ── what is loaded ────────────────────────────────────────────────────────────────────────────


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
