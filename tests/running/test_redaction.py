"""No secret that a plug-in hands over reaches a run's folder, a prompt or a screen; the data set's
own text stays as it is, to the byte."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from memorycode.datasets import write_dataset
from memorycode.dialogue import Dialogue, SessionView
from memorycode.errors import ModelError, UsageError
from memorycode.evaluation import evaluate
from memorycode.models.secrets import HIDDEN
from memorycode.protocols import Completion, Passage, Prompt, Recall
from memorycode.results.found_question import find_question
from memorycode.running.folder import RunFolder
from tests.commands import run_command
from tests.run_files import all_bytes

KEY = "sk-of-the-memory/77aa+88bb"
VARIABLE = "MY_MEMORY_API_KEY"
MODULE = __name__


@pytest.fixture(autouse=True)
def _a_key_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, KEY)


class _Memory:
    oracle = False
    ask_after = "last"

    def __init__(self, context: object) -> None:
        self.seen: list[SessionView] = []

    def observe(self, session: SessionView) -> None:
        self.seen.append(session)


class Leaky(_Memory):
    """Puts its client's key into all that it recalls."""

    note = f"asks a server with {KEY}"
    variant = f"by {KEY}"

    def recall(self, query: str) -> Recall:
        return Recall(
            passages=(
                Passage(text=self.seen[0].text, session=0),
                Passage(text=f"found with {KEY}", session=1),
            ),
            notes={"sent": [{"authorization": f"Bearer {KEY}"}], KEY: 1},
        )


class Broken(_Memory):
    """Its client fails, and says with which request."""

    def recall(self, query: str) -> Recall:
        raise RuntimeError(f"401 for http://h/v1?key={KEY.replace('/', '%2F')} {KEY}")


class Teller:
    """A model of somebody's own, with a client of its own."""

    name = "teller"
    is_language_model = True
    prompts: list[str] = []  # noqa: RUF012
    fails = False

    def generate(self, prompt: Prompt) -> Completion:
        Teller.prompts.append(prompt.text)
        if Teller.fails:
            raise ModelError(f"no answer for {KEY}", kind=KEY)
        return Completion(text=f"k = '{KEY}'", reasoning=KEY, finish_reason="stop")


def test_what_a_memory_recalls_and_a_model_says_is_kept_without_the_key(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    Teller.prompts.clear()
    evaluate([small_dialogue], strategies=[Leaky], models=[f"{MODULE}:Teller"], out=tmp_path)
    record = next(RunFolder(tmp_path).records())

    kept = all_bytes(tmp_path)
    assert KEY.encode() not in kept
    assert (tmp_path / "cache.sqlite").exists()
    assert record.answer == f"k = '{HIDDEN}'"
    assert record.notes == {"sent": [{"authorization": f"Bearer {HIDDEN}"}], HIDDEN: 1}
    assert not [prompt for prompt in Teller.prompts if KEY in prompt]


def test_the_prompt_that_was_sent_is_rebuilt_to_the_byte(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    Teller.prompts.clear()
    evaluate([small_dialogue], strategies=[Leaky], models=[f"{MODULE}:Teller"], out=tmp_path)
    records = list(RunFolder(tmp_path).records())

    assert [find_question(tmp_path, r.id).prompt for r in records] == Teller.prompts
    assert f"found with {HIDDEN}" in Teller.prompts[0]


def test_the_data_sets_own_text_stays_as_it_is(small_dialogue: Dialogue, tmp_path: Path) -> None:
    """A variable may hold what stands in a data set: prompts are rebuilt from that."""
    first, *rest = small_dialogue.sessions
    spoken = first.model_copy(update={"text": f"{first.text} The key is {KEY}."})
    dialogue = small_dialogue.model_copy(update={"sessions": (spoken, *rest)})
    Teller.prompts.clear()
    evaluate([dialogue], strategies=["full_history"], models=[f"{MODULE}:Teller"], out=tmp_path)
    records = list(RunFolder(tmp_path).records())

    assert f"The key is {KEY}." in Teller.prompts[0]
    assert [find_question(tmp_path, r.id).prompt for r in records] == Teller.prompts
    (kept,) = RunFolder(tmp_path).dialogues()
    assert kept.sessions[0].text == spoken.text
    assert KEY not in (tmp_path / "asked.jsonl").read_text()
    assert KEY not in (tmp_path / "contexts.jsonl").read_text()


def test_what_a_memorys_client_raises_is_told_without_the_key(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    evaluate([small_dialogue], strategies=[Broken], out=tmp_path)
    errors = [record.error for record in RunFolder(tmp_path).records()]

    assert all(f"401 for http://h/v1?key={HIDDEN} {HIDDEN}" in error for error in errors)
    assert b"of-the-memory" not in all_bytes(tmp_path)


class Late(_Memory):
    """Reads its key once it is asked, as from a file of variables."""

    def recall(self, query: str) -> Recall:
        os.environ["LATE_API_KEY"] = f"late-{KEY}"
        raise RuntimeError(f"401 for late-{KEY}")


def test_a_key_that_comes_into_the_environment_late_is_not_told(
    small_dialogue: Dialogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("LATE_API_KEY", "")
    evaluate([small_dialogue], strategies=[Late], out=tmp_path)

    assert {r.error.count(f"401 for {HIDDEN}") for r in RunFolder(tmp_path).records()} == {1}
    assert KEY.encode() not in all_bytes(tmp_path)


class Wordy(_Memory):
    """Has its key where a long text is cut."""

    def recall(self, query: str) -> Recall:
        raise RuntimeError("x" * (2000 - len("RuntimeError: ") - len(KEY) + 1) + KEY)


def test_no_half_of_a_key_is_left_where_a_text_is_cut(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    evaluate([small_dialogue], strategies=[Wordy], out=tmp_path)
    assert all(f"x{HIDDEN}" in record.error for record in RunFolder(tmp_path).records())


class Keyed(_Memory):
    def __init__(self, context: object, api_key: str) -> None: ...


def test_a_key_that_a_spec_gives_is_refused(small_dialogue: Dialogue) -> None:
    with pytest.raises(UsageError, match="variable") as caught:
        evaluate([small_dialogue], strategies=[f"{MODULE}:Keyed:api_key=sk-of-nobody-112233"])
    assert "of-nobody" not in str(caught.value)


def test_a_failures_kind_and_text_are_told_without_the_key(
    small_dialogue: Dialogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Teller, "fails", True)
    report = evaluate(
        [small_dialogue],
        strategies=["rolling_summary"],
        models=[f"{MODULE}:Teller"],
        out=tmp_path,
    )

    assert KEY.encode() not in all_bytes(tmp_path)
    assert KEY not in report.model_dump_json()


def test_a_run_with_hidden_keys_is_taken_up_again(small_dialogue: Dialogue, tmp_path: Path) -> None:
    for _ in range(2):
        Teller.prompts.clear()
        evaluate([small_dialogue], strategies=[Leaky], models=[f"{MODULE}:Teller"], out=tmp_path)

    assert not Teller.prompts


def test_a_spec_that_holds_a_key_is_refused(small_dialogue: Dialogue, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="variable") as caught:
        evaluate([small_dialogue], models=[f"{MODULE}:Named/{KEY}"], out=tmp_path)

    assert KEY not in str(caught.value)


class Named(Teller):
    def __init__(self, name: str) -> None:
        self.name = name


def test_the_command_shows_no_key_of_a_plug_in_that_cannot_be_built(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    write_dataset([small_dialogue], tmp_path / "data")
    (tmp_path / "mine.py").write_text(f"def Mine(context):\n    raise ValueError({KEY!r})\n")
    done = run_command(
        *("run", "--dataset", "data", "--strategy", "mine:Mine"),
        cwd=tmp_path,
        env={**os.environ, VARIABLE: KEY, "PYTHONPATH": os.pathsep.join(sys.path)},
    )

    assert done.returncode != 0
    assert HIDDEN in done.stderr
    assert KEY not in done.stderr + done.stdout
