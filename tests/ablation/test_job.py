"""The whole grid: what a cell says is what a run with the same settings really recalls."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import pytest

from memory_strategies.rag import Rag
from memorycode.ablation.grid import Grid, make_grid
from memorycode.ablation.grid_cells import GridCell
from memorycode.ablation.job import measure_grid
from memorycode.ablation.measures import MEASURES
from memorycode.conformance.stand_ins import HashedWords
from memorycode.dialogue import Dialogue
from memorycode.errors import PluginError, UsageError
from memorycode.evaluation import evaluate
from memorycode.plugins import RetrieverPlugin
from memorycode.prompts import DEFAULT_PACK
from memorycode.protocols import Hit, Recall, StrategyContext, Unit
from memorycode.retrieval.saved_rankings import FILE
from memorycode.running.folder import RunFolder
from memorycode.tokens import token_counter

GRID = make_grid(
    {
        "retriever": ("bm25", "chance:seed=3", "recency", "oracle:which=active"),
        "query": ("task", "guidelines", "multi"),
        "unit": ("session", "turn"),
        "speaker": ("all", "mentor"),
        "k": ("dynamic", "1", "30%", "60tokens", "cliff"),
    }
)


@pytest.fixture
def dialogues(small_dialogue: Dialogue) -> list[Dialogue]:
    """Three, of which two have sessions in another order and one is short."""
    mixed = list(small_dialogue.sessions)
    random.Random(2).shuffle(mixed)
    turned = tuple(s.model_copy(update={"index": n}) for n, s in enumerate(mixed))
    return [
        small_dialogue,
        small_dialogue.model_copy(update={"number": 9, "sessions": turned}),
        small_dialogue.model_copy(update={"number": 8, "sessions": small_dialogue.sessions[:3]}),
    ]


def without_times(cells: Iterable[GridCell]) -> list[object]:
    shown = [cell.as_json() for cell in cells]
    for cell in shown:
        for found in (cell["measures"], cell["errors"], *cell["by_sessions"].values()):
            found.pop("milliseconds")
    return list(shown)


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def recalls(dialogue: Dialogue, cell: GridCell) -> list[Recall]:
    """What `rag` with a cell's settings recalls for the questions after the last session."""
    count = token_counter()
    strategy = Rag(
        StrategyContext(
            speakers=dialogue.context.speakers,
            model=None,
            embedder=HashedWords(),
            count_tokens=count,
            token_budget=None,
            rng=random.Random(0),
        ),
        retriever=RetrieverPlugin.load(cell.settings.retriever).build(HashedWords()),
        k=cell.k,
        query=cell.settings.query,
        unit=cell.settings.unit,
        speaker=cell.settings.speaker,
    )
    for session in dialogue.sessions:
        strategy.observe(dialogue.oracle_view(session.index))
    return [strategy.recall(query) for query in dialogue.queries(dialogue.last)]


def test_a_cell_is_what_rag_recalls(dialogues: list[Dialogue]) -> None:
    """Sessions, units and tokens, in every cell of the grid."""
    count = token_counter()
    for cell in measure_grid(dialogues[:1], GRID):
        found = recalls(dialogues[0], cell)
        gold = {0, 2}
        measures = {name: one.mean for name, one in cell.measures.items()}
        assert measures["units"] == mean([len(recall.passages) for recall in found]), cell
        assert measures["session_recall"] == mean([len(gold & set(r.sessions)) / 2 for r in found])
        tokens = [
            sum(count(DEFAULT_PACK.passage(p.text, p.session)) for p in recall.passages)
            for recall in found
        ]
        assert measures["tokens"] == mean(tokens)


def test_the_rules_recalled_are_those_of_a_run(dialogues: list[Dialogue], tmp_path: Path) -> None:
    """`Record.found` counts, of the rules of the question, those that the recall states."""
    grid = make_grid({"query": ("task", "multi"), "unit": ("turn",), "k": ("1", "2", "dynamic")})
    cells = measure_grid(dialogues, grid)
    specs = [f"rag:query={c.settings.query},unit=turn,k={c.k}" for c in cells]
    evaluate(dialogues, strategies=specs, out=tmp_path / "run")
    records = list(RunFolder(tmp_path / "run").records())
    for spec, cell in zip(specs, cells, strict=True):
        for dialogue in dialogues:
            asked = [r for r in records if (r.strategy, r.dialogue) == (spec, dialogue.number)]
            found = [r.found for r in asked if r.found]
            assert len(found) == len(asked)
            assert len(asked) == 2
            (one,) = measure_grid([dialogue], make_grid(_lists(cell)))
            share = mean([f.current / f.active for f in found])
            assert one.measures["rule_recall"].mean == pytest.approx(share), spec
            stale = mean([f.stale / f.active for f in found])
            assert one.measures["stale_share"].mean == pytest.approx(stale), spec


def _lists(cell: GridCell) -> Mapping[str, object]:
    return {name: (value,) for name, value in cell.settings.model_dump().items()} | {"k": (cell.k,)}


def test_workers_change_nothing(dialogues: list[Dialogue], tmp_path: Path) -> None:
    alone = measure_grid(dialogues, GRID, out=tmp_path / "one")
    together = measure_grid(dialogues, GRID, workers=2, out=tmp_path / "two")
    assert without_times(alone) == without_times(together)
    lines = [sorted((tmp_path / n / FILE).read_text().splitlines()) for n in ("one", "two")]
    assert lines[0] == lines[1]


def test_every_cell_has_every_measure_and_the_means_are_over_dialogues(
    dialogues: list[Dialogue],
) -> None:
    cells = measure_grid(dialogues, GRID)
    assert len(cells) == 4 * 3 * 2 * 2 * 5
    for cell in cells[:4]:
        assert set(cell.measures) == set(MEASURES)
        assert set(cell.by_sessions) == {3, 4}
        alone = [measure_grid([d], make_grid(_lists(cell)))[0] for d in dialogues]
        for name in ("session_recall", "rule_recall", "ndcg", "tokens"):
            values = [one.measures[name].mean for one in alone]
            assert cell.measures[name].mean == pytest.approx(mean([v or 0 for v in values]))
        assert cell.by_sessions[3]["tokens"].mean == alone[2].measures["tokens"].mean


def test_what_is_derived_from_gold_or_knows_the_rules_is_marked(
    dialogues: list[Dialogue],
) -> None:
    cells = measure_grid(dialogues[:1], GRID)
    for cell in cells:
        by_gold = cell.k == "dynamic" or cell.settings.retriever.startswith("oracle")
        assert cell.oracle == by_gold
        assert cell.informed == (cell.settings.query in ("vocabulary", "objects", "multi"))


def test_an_oracle_finds_the_sessions_that_hold(dialogues: list[Dialogue]) -> None:
    grid = make_grid({"retriever": ("oracle", "oracle:which=active"), "k": ("dynamic", "1")})
    both, one_of_both, active, one = measure_grid(dialogues[:1], grid)
    assert both.measures["session_recall"].mean == 1
    assert one_of_both.measures["rule_recall"].mean == 1  # the newest comes first
    assert active.measures["rule_recall"].mean == one.measures["rule_recall"].mean == 1


def test_what_was_kept_replays_to_the_same_cells(dialogues: list[Dialogue], tmp_path: Path) -> None:
    grid = GRID.model_copy(update={"retriever": ("bm25", "chance")})
    first = measure_grid(dialogues, grid, out=tmp_path)
    specs = tuple(f"kept:folder={tmp_path};of={name}" for name in grid.retriever)
    again = measure_grid(dialogues, grid.model_copy(update={"retriever": specs}))
    replayed = without_times(again)
    for cell in replayed:
        assert isinstance(cell, dict)
        cell["retriever"] = cell["retriever"].rpartition("=")[2]
    assert replayed == without_times(first)


def test_a_run_takes_what_was_kept(dialogues: list[Dialogue], tmp_path: Path) -> None:
    """The retriever itself is gone: only its rankings are there."""
    grid = make_grid({"query": ("multi",), "k": ("2",)})
    (cell,) = measure_grid(dialogues[:1], grid, out=tmp_path)
    kept = cell.model_copy(
        update={
            "settings": cell.settings.model_copy(update={"retriever": f"kept:folder={tmp_path}"})
        }
    )
    assert recalls(dialogues[0], kept) == recalls(dialogues[0], cell)


def test_rankings_of_other_units_are_refused(dialogues: list[Dialogue], tmp_path: Path) -> None:
    measure_grid(dialogues[:1], make_grid({}), out=tmp_path)
    grid = make_grid({"retriever": (f"kept:folder={tmp_path}",), "unit": ("turn",)})
    with pytest.raises(PluginError, match="no ranking of these units for 'function that is"):
        measure_grid(dialogues[:1], grid)


class Embeds:
    """Finds nothing and has a parameter for the embedder."""

    def __init__(self, *, embedder: HashedWords | None = None) -> None:
        pass

    def add(self, units: Sequence[Unit]) -> None:
        pass

    def search(self, query: str, k: int) -> list[Hit]:
        return []


class Twice(Embeds):
    def search(self, query: str, k: int) -> list[Hit]:
        return [Hit(0, 2.0), Hit(0, 1.0)]


class Beyond(Embeds):
    def search(self, query: str, k: int) -> list[Hit]:
        return [Hit(k, 1.0)]


class NoNumber(Embeds):
    def search(self, query: str, k: int) -> list[Hit]:
        return [Hit(0, float("nan"))]


class Raises(Embeds):
    def search(self, query: str, k: int) -> list[Hit]:
        raise KeyError("lost")


class Exits(Embeds):
    def add(self, units: Sequence[Unit]) -> None:
        raise SystemExit(0)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Twice", "found a unit twice or one that is not there"),
        ("Beyond", "positions count from 0, and 4 units were added"),
        ("NoNumber", "a score that is no number"),
        ("Raises", "dialogue 7: KeyError: 'lost'"),
        ("Exits", "dialogue 7: SystemExit"),
    ],
)
def test_a_retriever_at_fault_is_named(
    dialogues: list[Dialogue],
    named_here: Callable[[str], str],
    name: str,
    message: str,
) -> None:
    grid = Grid(retriever=(named_here(name),))
    with pytest.raises(PluginError, match=message) as raised:
        measure_grid(dialogues[:1], grid)
    assert name in str(raised.value)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("RaisingRetriever:what=cancelled", "dialogue 7: CancelledError: "),
        ("RaisingRetriever:what=panic", "dialogue 7: PanicException: called"),
        ("RaisingRetriever:what=mute", r"dialogue 7: MuteError: \(its text cannot be had\)"),
        ("LeavingRetriever", r"dialogue 7: SystemExit: os._exit\(\) would end the run"),
    ],
)
def test_whatever_a_retriever_does_is_its_own_fault(
    dialogues: list[Dialogue], monkeypatch: pytest.MonkeyPatch, spec: str, message: str
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "running"))
    with pytest.raises(PluginError, match=message):
        measure_grid(dialogues[:1], Grid(retriever=(f"misbehaving:{spec}",)))


def test_fewer_hits_than_units_are_no_fault(
    dialogues: list[Dialogue], named_here: Callable[[str], str]
) -> None:
    grid = Grid(retriever=(named_here("Embeds"),), k=("2", "cliff", "30%", "99tokens", "dynamic"))
    for cell in measure_grid(dialogues[:1], grid):
        assert cell.measures["units"].mean == 0
        assert cell.measures["rule_recall"].mean == 0
        assert cell.measures["session_precision"].mean is None


@pytest.fixture
def named_here(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """The spec of a class of this file, which is in no package."""
    import sys
    from types import ModuleType

    module = ModuleType("retrievers_of_this_test")
    for one in (Embeds, Twice, Beyond, NoNumber, Raises, Exits):
        setattr(module, one.__name__, one)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return lambda name: f"{module.__name__}:{name}"


def test_empty_sessions_are_measured(small_dialogue: Dialogue) -> None:
    silent = [s.model_copy(update={"text": " \n"}) for s in small_dialogue.sessions]
    empty = small_dialogue.model_copy(update={"sessions": tuple(silent)})
    cells = measure_grid([empty], GRID)
    assert {cell.measures["rule_recall"].mean for cell in cells} == {0}
    assert {cell.measures["ndcg"].mean for cell in cells} == {None}


def test_data_without_a_question_is_refused(small_dialogue: Dialogue) -> None:
    mute = small_dialogue.model_copy(update={"history_queries": ()})
    with pytest.raises(UsageError, match="no question after a last session"):
        measure_grid([mute], GRID)


def test_dialogues_without_a_question_are_left_out(small_dialogue: Dialogue) -> None:
    mute = small_dialogue.model_copy(update={"number": 8, "history_queries": ()})
    (cell,) = measure_grid([mute, small_dialogue], make_grid({}))
    assert cell.measures["tokens"].n == 1


def test_an_empty_question_is_a_question(small_dialogue: Dialogue) -> None:
    blank = small_dialogue.model_copy(update={"history_queries": ("", " ")})
    for cell in measure_grid([blank], GRID):
        assert cell.measures["needed_recall"].mean is None
        assert cell.measures["rule_recall"].mean is not None


def test_progress_is_told(dialogues: list[Dialogue]) -> None:
    class Told:
        def __init__(self) -> None:
            self.seen: list[tuple[int, int]] = []

        def embedding(self, done: int, total: int) -> None:
            raise AssertionError("nothing here embeds")

        def measuring(self, done: int, total: int) -> None:
            self.seen.append((done, total))

    told = Told()
    measure_grid(dialogues, make_grid({}), progress=told)
    assert told.seen == [(1, 3), (2, 3), (3, 3)]
