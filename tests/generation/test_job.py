"""Generating into a folder: the layout, going on, refusing, failing, several processes."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from memorycode.datasets import load_dataset
from memorycode.errors import ModelError, ModelUnavailable, RenderError, SeedError, UsageError
from memorycode.generation import job
from memorycode.generation.generate import generate_dialogues
from memorycode.generation.job import DialogueOutcome, generate_folder
from memorycode.generation.pool import SeedPool
from memorycode.generation.renderers import RendererChoice
from memorycode.generation.rendering import Renderer

RELEASE = os.environ.get("MEMORYCODE_RELEASE", "")
LEFT = ".dialogue_3.json.0123456789abcdef.memorycode-part"
SMALL: dict[str, Any] = {"dialogues": 4, "sessions": (2, 3), "seed": 7}


def files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted((folder / "dataset").iterdir())}


def test_the_folder_is_a_data_set_with_a_manifest(tmp_path: Path) -> None:
    done = generate_folder(tmp_path / "new" / "out", **SMALL)
    assert (done.made, done.kept, done.failed) == ((1, 2, 3, 4), (), ())
    dialogues = load_dataset(done.path)
    assert [d.number for d in dialogues] == [1, 2, 3, 4]
    assert [len(d.sessions) for d in dialogues] == [2, 3, 2, 3]
    manifest = json.loads((done.path / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["seed"] == 7
    assert manifest["pool"] == SeedPool.load().hash
    assert manifest["settings"]["n_sessions"] == [2, 3]
    assert (manifest["preset"], manifest["renderer"]) == ("demo", "scripted")
    assert set(manifest["versions"]) == {"memorycode", "python"}


def test_it_holds_what_the_generator_makes(tmp_path: Path) -> None:
    generate_folder(tmp_path, dialogues=3, seed=2)
    made = generate_dialogues("demo", seed=2, pool=SeedPool.load())
    assert list(load_dataset(tmp_path)) == [next(made) for _ in range(3)]


class Listener:
    """Keeps what a job tells of its progress."""

    def __init__(self) -> None:
        self.started: list[tuple[int, int]] = []
        self.done: list[int] = []

    def start(self, total: int, done: int) -> None:
        self.started.append((total, done))

    def advance(self, outcome: DialogueOutcome) -> None:
        self.done.append(outcome.number)


def test_several_processes_write_the_same_bytes(tmp_path: Path) -> None:
    one = generate_folder(tmp_path / "one", **SMALL, workers=1)
    two = generate_folder(tmp_path / "two", **SMALL, workers=2)
    assert files(one.path) == files(two.path)
    assert two.made == one.made


@pytest.mark.parametrize("workers", [1, 2])
def test_progress_is_told(tmp_path: Path, workers: int) -> None:
    listener = Listener()
    generate_folder(tmp_path, **SMALL, workers=workers, progress=listener)
    assert (listener.started, sorted(listener.done)) == ([(4, 0)], [1, 2, 3, 4])
    generate_folder(tmp_path, **SMALL | {"dialogues": 5}, progress=listener)
    assert (listener.started[1], listener.done[4:]) == ((5, 4), [5])


def test_each_difficulty_is_another_data_set(tmp_path: Path) -> None:
    texts = set()
    for difficulty in ("explicit", "paraphrased", "implicit"):
        generate_folder(tmp_path / difficulty, **SMALL, difficulty=difficulty)
        texts.add(files(tmp_path / difficulty)["dialogue_1.json"])
    assert len(texts) == 3


# ── going on ──────────────────────────────────────────────────────────────────────────────────


def test_finished_dialogues_are_kept_and_half_written_ones_are_not(tmp_path: Path) -> None:
    whole = files(generate_folder(tmp_path, **SMALL).path)
    kept = tmp_path / "dataset" / "dialogue_1.json"
    kept.write_text('{"as it": "was"}', encoding="utf-8")
    (tmp_path / "dataset" / "dialogue_2.json").write_bytes(b"")
    (tmp_path / "dataset" / "dialogue_3.json").rename(tmp_path / "dataset" / LEFT)
    done = generate_folder(tmp_path, **SMALL)
    assert (done.made, done.kept) == ((2, 3), (1, 4))
    assert files(tmp_path) == whole | {"dialogue_1.json": b'{"as it": "was"}'}


def test_a_folder_can_grow(tmp_path: Path) -> None:
    generate_folder(tmp_path, **SMALL)
    before = files(tmp_path)
    done = generate_folder(tmp_path, **SMALL | {"dialogues": 6})
    assert done.made == (5, 6)
    assert files(tmp_path).items() >= before.items()
    with pytest.raises(UsageError, match="made for 6 dialogues; it cannot shrink to 4"):
        generate_folder(tmp_path, **SMALL)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"seed": 8}, r"seed is 7 there, 8 here$"),
        ({"sessions": (2, 4)}, r"settings\.n_sessions is \[2, 3\] there, \[2, 4\] here$"),
        ({"difficulty": "implicit"}, r'options\.difficulty is "explicit" there, "implicit" here$'),
        ({"preset": "stress"}, r"settings\.instruction_share is .*; settings\.update_rate is "),
    ],
)
def test_other_settings_are_refused_with_the_difference(
    tmp_path: Path, changed: dict[str, Any], told: str
) -> None:
    generate_folder(tmp_path, **SMALL)
    before = files(tmp_path)
    with pytest.raises(UsageError, match=rf"made with other settings: {told}"):
        generate_folder(tmp_path, **SMALL | changed)
    assert files(tmp_path) == before


def test_another_pool_is_refused(tmp_path: Path) -> None:
    generate_folder(tmp_path / "out", **SMALL)
    seeds = Path(shutil.copytree(Path(job.__file__).parents[2] / "seeds", tmp_path / "seeds"))
    assert generate_folder(tmp_path / "out", **SMALL, pool=seeds).made == ()
    people = seeds / "people.toml"
    people.write_text(people.read_text(encoding="utf-8").replace("Zofia", "Zosia"), "utf-8")
    with pytest.raises(UsageError, match=r"other settings: pool is "):
        generate_folder(tmp_path / "out", **SMALL, pool=seeds)


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "dataset").mkdir()
    (tmp_path / "dataset" / "dialogue_1.json").write_text("{}", encoding="utf-8")
    with pytest.raises(UsageError, match=r"not empty .*, and no manifest\.json says what is in it"):
        generate_folder(tmp_path, **SMALL)
    (tmp_path / "manifest.json").write_text('{"dataset": "a run"}', encoding="utf-8")
    with pytest.raises(UsageError, match=r"manifest\.json: not of a generated folder"):
        generate_folder(tmp_path, **SMALL)


def test_two_jobs_do_not_write_into_one_folder(tmp_path: Path) -> None:
    with FileLock(tmp_path / "lock"), pytest.raises(UsageError, match="another process"):
        generate_folder(tmp_path, **SMALL)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"preset": "dmeo"}, "no preset 'dmeo'"),
        ({"dialogues": 0}, "dialogues: want 1 or more, found 0"),
        ({"sessions": (0,)}, r"n_sessions\[0\]: want 1 or more, found 0"),
        (
            {"difficulty": "hard"},
            "difficulty: want 'explicit', 'paraphrased' or 'implicit', found 'hard'",
        ),
        ({"renderer": "ideal-mentee"}, "no language model"),
        ({"renderer": "openai/x", "difficulty": "implicit"}, "a model's wording is its own"),
    ],
)
def test_wrong_use_leaves_no_folder(tmp_path: Path, wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        generate_folder(tmp_path / "out", **SMALL | wrong)
    with pytest.raises(SeedError, match="no such file"):
        generate_folder(tmp_path / "out", **SMALL, pool=tmp_path / "nowhere")
    assert not (tmp_path / "out").exists()


# ── renderers that fail ───────────────────────────────────────────────────────────────────────


class Faulty:
    """Renders as the scripted one does, but for one dialogue of two sessions."""

    def __init__(self, renderer: Renderer, error: Exception) -> None:
        self._renderer, self._error = renderer, error

    def render(self, template: Any, rng: Any) -> Any:
        if len(template.sessions) == 2:
            raise self._error
        return self._renderer.render(template, rng)


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Exception], None]]:
    """Makes the scripted renderer raise an error."""
    build = RendererChoice.build

    def raising(error: Exception) -> None:
        monkeypatch.setattr(
            RendererChoice, "build", lambda self, pool: Faulty(build(self, pool), error)
        )

    yield raising
    monkeypatch.undo()


def test_what_cannot_be_rendered_is_reported_and_tried_again(
    tmp_path: Path,
    faulty: Callable[[Exception], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    faulty(ModelError("session 1: nothing came", kind="empty"))
    done = generate_folder(tmp_path, **SMALL)
    assert done.made == (2, 4)
    assert done.failed == tuple(DialogueOutcome(n, "session 1: nothing came") for n in (1, 3))
    assert list(files(tmp_path)) == ["dialogue_2.json", "dialogue_4.json"]
    monkeypatch.undo()
    assert generate_folder(tmp_path, **SMALL).made == (1, 3)


def test_a_renderer_with_a_fault_ends_nothing_but_its_dialogue(
    tmp_path: Path, faulty: Callable[[Exception], None]
) -> None:
    faulty(ZeroDivisionError("by nought"))
    done = generate_folder(tmp_path, **SMALL)
    assert done.made == (2, 4)
    assert done.failed[0].problem == "ZeroDivisionError: by nought"


def test_an_unavailable_model_stops_the_job(
    tmp_path: Path, faulty: Callable[[Exception], None]
) -> None:
    faulty(ModelUnavailable("wrong key", kind="auth"))
    with pytest.raises(ModelUnavailable, match="wrong key"):
        generate_folder(tmp_path, **SMALL)
    assert files(tmp_path) == {}


# ── a model that gives no answer ──────────────────────────────────────────────────────────────


class Failing:
    """Fails as each of `errors` says, dialogue by dialogue; where it is None, it renders."""

    def __init__(self, renderer: Renderer, errors: list[Exception | None]) -> None:
        self._renderer, self._errors = renderer, errors

    def render(self, template: Any, rng: Any) -> Any:
        if error := self._errors.pop(0):
            raise error
        return self._renderer.render(template, rng)


def failing(monkeypatch: pytest.MonkeyPatch, *errors: Exception | None) -> list[Exception | None]:
    """What the scripted renderer raises in turn; returns what is left of it."""
    build, left = RendererChoice.build, list(errors)

    def built(self: RendererChoice, pool: SeedPool) -> Renderer:
        return Failing(build(self, pool), left)

    monkeypatch.setattr(RendererChoice, "build", built)
    return left


def lost(kind: str = "connection") -> ModelError:
    return ModelError("session 0: no answer", kind=kind)


WRONG = RenderError("session 1: does not tell function '^a_.*'")


@pytest.mark.parametrize("kind", ["connection", "timeout", "server_error"])
def test_three_dialogues_in_a_row_without_an_answer_end_the_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    left = failing(monkeypatch, None, WRONG, lost(kind), lost(kind), lost(kind), None)
    with pytest.raises(ModelUnavailable, match="dialogue 5: session 0: no answer; 3 dialogues in"):
        generate_folder(tmp_path, **SMALL | {"dialogues": 6})
    assert left == [None]
    assert list(files(tmp_path)) == ["dialogue_1.json"]
    monkeypatch.undo()
    assert generate_folder(tmp_path, **SMALL | {"dialogues": 6}).made == (2, 3, 4, 5, 6)


@pytest.mark.parametrize(
    "errors",
    [
        (lost(), lost(), None, lost(), lost(), None),
        (lost(), lost(), WRONG, lost(), lost(), WRONG),
        (WRONG,) * 6,
        (ModelError("cut off", kind="truncated"),) * 6,
    ],
    ids=["answers between", "wrong answers between", "wrong answers", "no good answers"],
)
def test_answers_that_are_no_good_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, errors: tuple[Exception | None, ...]
) -> None:
    failing(monkeypatch, *errors)
    done = generate_folder(tmp_path, **SMALL | {"dialogues": 6})
    assert len(done.failed) == 6 - errors.count(None)


# ── in other hands ────────────────────────────────────────────────────────────────────────────


def schema(value: Any, path: str = "") -> set[tuple[str, str]]:
    """Every field of decoded JSON with its type; list items go by ``[]``."""
    found = {(path, type(value).__name__)}
    if isinstance(value, dict):
        for key, item in value.items():
            found |= schema(item, f"{path}.{key}")
    elif isinstance(value, list):
        for item in value:
            found |= schema(item, f"{path}[]")
    return found


def schemas(folder: Path) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for file in folder.glob("dialogue_*.json"):
        found |= schema(json.loads(file.read_text(encoding="utf-8")))
    return found


@pytest.mark.skipif(not RELEASE, reason="MEMORYCODE_RELEASE is not set")
def test_every_field_of_the_release_is_written_with_the_same_types(tmp_path: Path) -> None:
    generate_folder(tmp_path, dialogues=12, sessions=(1, 5, 30, 60))
    assert schemas(tmp_path / "dataset") == schemas(Path(RELEASE) / "dataset")


def test_a_dialogue_of_two_thousand_sessions_can_be_made(tmp_path: Path) -> None:
    done = generate_folder(tmp_path, preset="stress", sessions=(2000,), dialogues=1)
    (dialogue,) = load_dataset(done.path)
    assert len(dialogue.sessions) == 2000
    assert sum(len(session.instructions) for session in dialogue.sessions) > 1000


def test_the_style_is_the_callers_and_stands_in_the_manifest(tmp_path: Path) -> None:
    plain = generate_folder(tmp_path / "plain", **SMALL)
    style = {"reference_rate": 1.0, "hedge_rate": 1.0, "repeat_rate": 0.0}
    other = generate_folder(tmp_path / "other", **SMALL, style=style, attempts=9)
    assert files(plain.path) != files(other.path)
    options = json.loads((other.path / "manifest.json").read_text())["options"]
    assert options["hedge_rate"] == 1.0
    assert options["attempts"] == 9
    with pytest.raises(UsageError, match="options"):
        generate_folder(tmp_path / "other", **SMALL)


@pytest.mark.parametrize("foreign", ["thesis.tex", "lock", "manifest.json", "dataset/notes.txt"])
def test_a_folder_of_something_else_is_left_as_it_is(tmp_path: Path, foreign: str) -> None:
    file = tmp_path / foreign
    file.parent.mkdir(exist_ok=True)
    file.write_text("mine", encoding="utf-8")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UsageError, match=r"not empty|not of a generated folder"):
        generate_folder(tmp_path, **SMALL)
    assert sorted(tmp_path.rglob("*")) == before
    assert file.read_text(encoding="utf-8") == "mine"
