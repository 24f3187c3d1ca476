"""Where a model runs is no part of what it is: its label is.

Endpoints side by side, runs that go on at another address, answers that are taken from one on
purpose, and the file that keys are read from.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from memorycode.cli.app import make_app
from memorycode.datasets import write_dataset
from memorycode.dialogue import Dialogue
from memorycode.errors import UsageError
from memorycode.evaluation import evaluate
from memorycode.experiment import load_experiment, make_experiment
from memorycode.model_options import ModelChoice
from memorycode.models.secrets import HIDDEN
from memorycode.running.folder import RunFolder
from tests.models.fault_server import FaultServer
from tests.run_files import all_bytes

ONE, OTHER = "sk-planted-one-11112222", "sk-planted-other-33334444"


@pytest.fixture(autouse=True)
def data(
    small_dialogue: Dialogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A folder of dialogues, and to work in one that has no ``.env``."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", ONE)
    # What a command sets is taken back: these are removed at the end if they were not there.
    for name in ("OTHER_KEY", "PLAIN"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    first, *rest = small_dialogue.sessions
    later = first.model_copy(update={"text": f"{first.text} It is late."})
    # No prompt of one is a prompt of the other.
    sessions = {1: (first, *rest), 2: (later, *rest)}
    both = [{"number": number, "sessions": told} for number, told in sessions.items()]
    write_dataset([small_dialogue.model_copy(update=each) for each in both], Path("data"))
    yield tmp_path / "data"


def run(*words: str, out: str = "run", expected: int = 0) -> Result:
    command = ["run", "--dataset", "data", "--strategy", "full_history", "--out", out, *words]
    done = CliRunner().invoke(make_app(), command, catch_exceptions=expected != 0)
    assert done.exit_code == expected, done.output
    return done


def refused(*words: str) -> str:
    """Why a run is not begun."""
    done = run(*words, out="refused", expected=1)
    assert isinstance(done.exception, UsageError)
    assert not Path("refused").exists()
    return str(done.exception)


def addresses(out: str = "run") -> list[tuple[str, str]]:
    """The model and the address of each record."""
    return [(record.model, record.address) for record in RunFolder(out).records()]


# ── several endpoints in one run ──────────────────────────────────────────────────────────────


@pytest.mark.parametrize("backend", ["threads", "processes"])
def test_two_endpoints_in_one_run_have_their_own_address_key_and_options(
    monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
    monkeypatch.setenv("OTHER_KEY", OTHER)
    with FaultServer() as first, FaultServer() as second:
        run(
            *("--model", f"openai/tiny:base_url={first.url},temperature=0.5"),
            *("--model", f"openai/tiny:label=b,base_url={second.url},key_variable=OTHER_KEY"),
            *("--max-tokens", "77", "--backend", backend),
        )
        assert {*first.keys} == {f"Bearer {ONE}"}
        assert {*second.keys} == {f"Bearer {OTHER}"}
        assert [s.asked[-1]["temperature"] for s in (first, second)] == [0.5, 0.0]
        assert [s.asked[-1]["max_tokens"] for s in (first, second)] == [77, 77]
        assert {*addresses()} == {("openai/tiny", first.url), ("b", second.url)}
    plain, labelled = RunFolder("run").manifest.settings.models
    assert (plain.spec, plain.name, plain.options.get("model")) == (
        "openai/tiny",
        "openai/tiny",
        None,
    )
    assert (labelled.spec, labelled.name) == ("openai/tiny", "b")
    assert labelled.options["model"] == "openai/tiny"
    assert ONE.encode() not in all_bytes(Path("run"))
    assert OTHER.encode() not in all_bytes(Path("run"))


def test_a_file_says_the_same_in_tables() -> None:
    Path("two.toml").write_text(
        """
        temperature = 0.2
        [[models]]
        spec = "openai/tiny"
        base_url = "http://127.0.0.1:1/v1"
        headers = { X-Session = "s" }
        [[models]]
        spec = "openai/tiny"
        label = "b"
        temperature = "none"
        """
    )
    first, second = load_experiment("two.toml").models
    assert (first.base_url, first.headers) == ("http://127.0.0.1:1/v1", {"X-Session": "s"})
    assert second == make_experiment({"models": ["openai/tiny:label=b,temperature=none"]}).models[0]


def test_python_takes_both_forms(small_dialogue: Dialogue) -> None:
    with FaultServer() as server:
        choice = ModelChoice(spec="openai/tiny", label="b", base_url=server.url)
        evaluate(
            [small_dialogue],
            models=[choice, f"openai/tiny:base_url={server.url}"],
            strategies=["no_memory"],
            out=Path("run"),
        )
    assert {model for model, _ in addresses()} == {"b", "openai/tiny"}


@pytest.mark.parametrize(
    ("spec", "name", "options"),
    [
        ("openai/qwen2.5:7b", "openai/qwen2.5:7b", {}),
        ("openai/qwen2.5:7b:top_p=0.5", "openai/qwen2.5:7b", {"top_p": 0.5}),
        ("langchain/openai:x:timeout=9", "langchain/openai:x", {"timeout": 9.0}),
        (
            "openai/a/b:base_url=http://h:1/v1,label=c",
            "openai/a/b",
            {"base_url": "http://h:1/v1", "label": "c"},
        ),
    ],
)
def test_a_name_may_hold_colons(spec: str, name: str, options: dict[str, object]) -> None:
    choice = ModelChoice.model_validate(spec)
    assert (choice.spec, choice.given) == (name, options)


def test_equal_labels_are_refused() -> None:
    here, there = ("openai/tiny:base_url=http://127.0.0.1:9/v1", "openai/tiny")
    told = refused("--model", here, "--model", there, "--base-url", "http://127.0.0.1:8/v1")
    assert told == "model 'openai/tiny' is named twice; NAME:label=OTHER tells them apart"
    assert "'b' is named twice" in refused(
        *("--model", f"{here},label=b", "--model", "openai/else:label=b")
    )


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("openai/tiny:key_variable=OTHER_KEY", "variable OTHER_KEY, which .* is not set"),
        ("openai/tiny:tempratur=1", r"models\[0\]\.tempratur: unknown key"),
        ("openai/tiny:label=a b", "want up to 100 letters"),
        ("openai/tiny:label=a,label=b", "'label' is given twice"),
        ("openai/tiny:headers=x", "want a table"),
        ("ideal-mentee:label=a", "ideal-mentee has no option label; it has none"),
        ("local/smollm2:timeout=5", "local/smollm2 has no option timeout; it has label, temp"),
        ("langchain/openai:x:base_url=http://h/v1", "has no option base_url"),
    ],
)
def test_what_a_model_cannot_do_is_refused(spec: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        raise UsageError(refused("--model", spec))


def test_a_key_in_the_place_of_its_variable_is_not_repeated() -> None:
    told = refused("--model", f"openai/tiny:key_variable={OTHER}")
    assert "key_variable: want the name of a variable in capitals" in told
    assert OTHER not in told


def test_a_labelled_model_costs_what_the_model_costs() -> None:
    Path("prices.toml").write_text("[models.tiny]\ninput = 1e6\noutput = 0\n")
    with FaultServer() as server:
        words = ("--model", f"openai/tiny:label=b,base_url={server.url}", "--prices", "prices.toml")
        dry = run(*words, "--dry-run", "--json")
        assert json.loads(dry.stdout)[0]["dollars"] > 0
        done = run(*words, "--max-cost", "0.5", "--json", expected=1)
    assert json.loads(done.stdout)["stopped"].startswith("--max-cost 0.5 is reached")


# ── a run that goes on elsewhere ──────────────────────────────────────────────────────────────


@pytest.mark.parametrize("label", ["", ":label=b"])
def test_a_run_goes_on_at_another_address(label: str) -> None:
    model = ("--model", f"openai/tiny{label}")
    with FaultServer() as first, FaultServer() as second:
        run(*model, "--base-url", first.url, "--max-calls", "1", expected=1)
        done = run(*model, "--base-url", second.url)
        assert (first.requests, second.requests) == (2, 4)  # each with a probe
        name = "b" if label else "openai/tiny"
        line = f"{name} was at {first.url} when this run began, and is now at {second.url}"
        assert done.stderr.count(line) == 1
        assert line in Path("run/run.log").read_text()
        assert [address for _, address in addresses()] == [first.url, *[second.url] * 3]
        (entry,) = RunFolder("run").manifest.settings.models
        assert entry.options["address"] == first.url
        assert "was at" not in run(*model, "--base-url", first.url).stderr


def test_another_label_or_model_is_another_run() -> None:
    with FaultServer() as server:
        run("--model", f"openai/tiny:label=b,base_url={server.url}")
        for other in ("openai/tiny", "openai/tiny:label=c", "openai/else:label=b"):
            spec = f"{other}{',' if '=' in other else ':'}base_url={server.url}"
            done = run("--model", spec, expected=1)
            assert "belongs to a run with other settings" in str(done.exception), other


# ── answers from another address ──────────────────────────────────────────────────────────────


def test_answers_are_shared_across_addresses_on_purpose_alone() -> None:
    kept = ("--cache", "answers.sqlite", "--model", "openai/tiny")
    with FaultServer() as first, FaultServer() as second, FaultServer() as third:
        run(*kept, "--base-url", first.url, out="first")
        run(*kept, "--base-url", second.url, out="second")
        asked = first.requests
        assert second.requests == asked > 1
        run(*kept, "--base-url", third.url, "--cache-across-addresses", out="third")
        assert third.requests == 1  # the probe
    assert {address for _, address in addresses("third")} == {""}
    assert all(record.cached for record in RunFolder("third").records())


def test_labels_in_one_run_do_not_share_answers() -> None:
    with FaultServer() as first, FaultServer() as second:
        run(
            *("--model", f"openai/tiny:label=a,base_url={first.url}"),
            *("--model", f"openai/tiny:label=b,base_url={second.url}"),
            "--cache-across-addresses",
        )
        assert first.requests == second.requests > 1


def test_processes_share_them_too() -> None:
    kept = ("--cache", "answers.sqlite", "--model", "openai/tiny")
    with FaultServer() as first, FaultServer() as second:
        run(*kept, "--base-url", first.url, out="first")
        across = ("--cache-across-addresses", "--backend", "processes", "--concurrency", "1")
        run(*kept, "--base-url", second.url, *across, out="second")
        assert second.requests == 1


# ── the file of keys ──────────────────────────────────────────────────────────────────────────


def test_a_key_from_the_file_is_sent_and_nowhere_to_be_seen() -> None:
    Path(".env").write_text(f"\ufeffexport OTHER_KEY='{OTHER}'\nPLAIN=1\nOPENAI_API_KEY=not-this\n")
    with FaultServer(answer=lambda _: f"```python\nx = '{OTHER}'\n```") as server:
        spec = f"openai/tiny:base_url={server.url},key_variable=OTHER_KEY"
        done = run("--model", spec)
        assert {*server.keys} == {f"Bearer {OTHER}"}
        run("--model", "openai/tiny", "--base-url", server.url, out="another")
        assert server.keys[-1] == f"Bearer {ONE}"  # what is set stays
    assert OTHER not in done.output
    for out in ("run", "another"):
        assert OTHER.encode() not in all_bytes(Path(out))
        assert all(HIDDEN in record.answer for record in RunFolder(out).records())
    assert "PLAIN" not in os.environ


@pytest.mark.parametrize("variable", ["OPENAI_BASE_URL", "PYTHONPATH", "HTTPS_PROXY"])
def test_the_file_does_not_say_where_a_key_is_sent(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(variable, raising=False)
    Path(".env").write_text(f"{variable}=http://127.0.0.1:9/v1\n")
    CliRunner().invoke(make_app(), ["models"], catch_exceptions=False)
    assert variable not in os.environ


def test_a_file_that_is_no_text_is_named() -> None:
    Path(".env").write_bytes(b"OTHER_KEY=\xff\n")
    with pytest.raises(UsageError, match=r"\.env: not UTF-8 text \(byte 10, line 1\)"):
        CliRunner().invoke(make_app(), ["models"], catch_exceptions=False)
