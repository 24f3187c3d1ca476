"""The command line: exit statuses, output for machines and people, messages that help."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memorycode.datasets import write_dataset
from memorycode.dialogue import Dialogue
from tests.commands import run_command

HEAVY = ("torch", "faiss", "transformers", "langchain", "langchain_core", "ray", "matplotlib")


def call(*arguments: object, cwd: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"NO_COLOR": "", "COLUMNS": "100"}
    return run_command(*arguments, cwd=cwd, env=environment, stdin=stdin)


def call_json(*arguments: object, cwd: Path, stdin: str = "") -> Any:
    done = call(*arguments, cwd=cwd, stdin=stdin)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def dataset(small_dialogue: Dialogue, tmp_path: Path) -> Path:
    write_dataset([small_dialogue], tmp_path / "data")
    return tmp_path / "data"


def test_run_prints_one_json_object_and_the_run_can_be_reported_again(
    dataset: Path, tmp_path: Path
) -> None:
    chosen = ("--strategy", "full_history", "--strategy", "rag", "--out", "run")
    result = call_json("run", "--dataset", dataset, *chosen, "--json", cwd=tmp_path)
    assert result["run"] == "run"
    assert result["model"] == "ideal-mentee"
    row = result["strategies"]["full_history"]
    assert set(row["short_history"]) == {"mean", "se", "n"}
    assert row["by_sessions"] == {"4": 1.0}
    assert (row["oracle"], row["questions"], row["failed"]) == (False, 2, 0)
    assert row["context_tokens_mean"] > 50
    assert row["seconds"] > 0
    assert result["strategies"]["rag"]["oracle"] is True
    assert call_json("report", "run", "--json", cwd=tmp_path) == result


def test_the_table_fits_and_marks_oracles(dataset: Path, tmp_path: Path) -> None:
    chosen = ("--strategy", "rolling_summary", "--strategy", "instruction_chain", "--out", "run")
    done = call("run", "--dataset", dataset, *chosen, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100
    assert "instruction_chain ◆" in done.stdout
    assert "rolling_summary (extractive)" in done.stdout
    for fact in (
        "no language model",
        "prompts default",
        "oracle: sees gold labels",
        "Records: run",
    ):
        assert fact in done.stdout


def test_without_a_data_set_dialogues_are_generated(tmp_path: Path) -> None:
    result = call_json("run", "--limit", 2, "--json", cwd=tmp_path)
    assert result["dialogues"] == 2
    assert Path(tmp_path, result["run"]).is_dir()
    assert result["strategies"]["no_memory"]["context_tokens_mean"] == 0


def test_an_experiment_is_read_and_options_override_it(dataset: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('strategies = ["no_memory"]\nsetting = "session"\n')
    arguments = ("run", "mine.toml", "--dataset", dataset, "--out", "run", "--json")
    result = call_json(*arguments, cwd=tmp_path)
    assert result["setting"] == "session"
    assert list(result["strategies"]) == ["no_memory"]
    result = call_json(
        *("run", "mine.toml", "--dataset", dataset, "--out", "run2", "--json"),
        *("--strategy", "full_history", "--setting", "instruction"),
        cwd=tmp_path,
    )
    assert list(result["strategies"]) == ["full_history"]
    assert result["setting"] == "instruction"


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("run", "--strategy", "nothing"), 2, "no strategy named 'nothing'; installed are"),
        (("run", "--model", "gpt"), 2, "no model named 'gpt'; installed are ideal-mentee"),
        (("run", "--model", "openai"), 2, "say which one: openai/NAME"),
        (("run", "--setting", "weekly"), 2, "history"),
        (("run", "--limit", "0"), 2, "--limit"),
        (("run", "nothing_such"), 2, "neither a TOML file nor an experiment"),
        (("run", "bad.toml"), 2, "bad.toml: not TOML"),
        (("run", "odd.toml"), 2, "odd.toml: colour: "),
        (("run", "--dataset", "nowhere"), 1, "nowhere: no such file or folder"),
        (("run", "--dataset", "broken"), 1, "dialogue_1.json: context: missing"),
        (("run", "--prompts", "nowhere"), 1, "nowhere: no such folder"),
        (("report", "nowhere"), 2, "nowhere: no run here"),
        (("show", "nowhere", "--question", "1"), 2, "no run here"),
        (("score", "--dataset", "data", "--outputs", "nowhere"), 1, "no such folder of recorded"),
        (("detect", "nowhere.txt"), 2, "nowhere.txt: cannot be read"),
        (("strategies", "nothing"), 2, "no strategy named"),
        (("nothing",), 2, "nothing"),
    ],
)
def test_wrong_use_is_told_in_a_line(
    dataset: Path, tmp_path: Path, arguments: tuple[str, ...], status: int, message: str
) -> None:
    (tmp_path / "bad.toml").write_text("strategies = [")
    (tmp_path / "odd.toml").write_text('colour = "red"')
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "dialogue_1.json").write_text("{}")
    done = call(*arguments, cwd=tmp_path)
    assert done.returncode == status, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_failed_questions_give_status_one_and_stand_in_the_table(
    dataset: Path, tmp_path: Path
) -> None:
    (tmp_path / "mood.py").write_text(
        "from memorycode.errors import ModelError\n"
        "class Sulking:\n"
        "    name = 'sulking'\n"
        "    is_language_model = True\n"
        "    def generate(self, prompt):\n"
        "        raise ModelError('not today', kind='server_error')\n"
    )
    # The folder that a command is run from is importable: a user's own file needs no packaging.
    done = call(
        *("run", "--dataset", dataset, "--model", "mood:Sulking", "--strategy", "full_history"),
        cwd=tmp_path,
    )
    assert done.returncode == 1
    text = " ".join(done.stdout.split())
    assert "2 questions without an answer (2 server_error), not scored" in text
    assert "first: not today (memorycode show RUN --question '7/3/0/full_history/sulking')" in text


def test_show_gives_prompt_answer_and_verdicts(dataset: Path, tmp_path: Path) -> None:
    call_json("run", "--dataset", dataset, "--out", "run", "--json", cwd=tmp_path)
    done = call("show", "run", "--question", "7/3/0/full_history", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for part in ("Session 4\nAda: Cake at four", "def ", "function: ^w_.*  →  official followed"):
        assert part in done.stdout
    shown = call_json("show", "run", "--question", "7/3/0/full_history", "--json", cwd=tmp_path)
    assert shown["rules"][0]["official"] == "followed"


@pytest.mark.parametrize("group", ["strategies", "retrievers", "models"])
def test_plugins_are_listed(tmp_path: Path, group: str) -> None:
    listed = call_json(group, "--json", cwd=tmp_path)
    assert all(plugin["summary"] for plugin in listed)
    done = call(group, listed[0]["name"], cwd=tmp_path)
    assert listed[0]["target"] in done.stdout


def test_a_strategys_parameters_are_shown(tmp_path: Path) -> None:
    done = call("strategies", "rag", cwd=tmp_path)
    assert "retriever: a retriever's name = bm25" in done.stdout
    assert "'dynamic'" in done.stdout


def test_detect_reads_a_text_from_a_file_or_standard_input(tmp_path: Path) -> None:
    text = "Ada: Please start all function names with 'kk_'.\n\nBen: Sure."
    (tmp_path / "talk.txt").write_text(text)
    (rule,) = call_json("detect", "talk.txt", "--mentor", "Ada", cwd=tmp_path)
    assert (rule["object"], rule["check"]) == ("function", "^kk_.*")
    assert rule["family"] == {"object": "function", "kind": "prefix", "name": "", "number": 6}
    assert "kk_" in text[rule["start"] : rule["end"]]
    assert call_json("detect", "-", cwd=tmp_path, stdin=text) == [rule]


def test_detect_gives_a_line_per_session_of_a_data_set(dataset: Path, tmp_path: Path) -> None:
    done = call("detect", dataset, cwd=tmp_path)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["dialogue"], row["session"]) for row in rows] == [(7, n) for n in range(4)]
    assert [rule["check"] for rule in rows[2]["rules"]] == ["^w_.*", True]


def test_score_prints_the_papers_columns(release: Path, tmp_path: Path) -> None:
    outputs = release / "outputs" / "command-r-plus"
    done = call("score", "--dataset", release, "--outputs", outputs, cwd=tmp_path)
    assert "88.9 ± 0.8" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100


def test_recorded_outputs_are_replayed_to_the_same_scores(release: Path, tmp_path: Path) -> None:
    outputs = release / "outputs" / "command-r-plus"
    result = call_json(
        *("run", "--dataset", release, "--limit", 40, "--model", f"replay/{outputs}"),
        *("--strategy", "full_history", "--out", "run", "--json"),
        cwd=tmp_path,
    )
    golden = json.loads((Path(__file__).parent / "golden/official_scores.json").read_text())
    dialogues = golden["command-r-plus"]["dialogues"]
    numbers = sorted(map(int, dialogues))[:40]
    last = [dialogues[str(number)]["history"][-1] for number in numbers]
    assert result["strategies"]["full_history"]["short_history"]["n"] == 40
    mean = result["strategies"]["full_history"]["short_history"]["mean"]
    assert mean == pytest.approx(sum(last) / 40, abs=1e-12)


def test_importing_memorycode_and_asking_for_help_loads_nothing_heavy(tmp_path: Path) -> None:
    code = (
        "import sys, memorycode, memorycode.cli\n"
        "from memorycode import evaluate, load_dataset\n"
        f"print(*[m for m in {HEAVY!r} if m in sys.modules])"
    )
    # Stand-ins, so that the test can fail where the libraries are not installed.
    for library in HEAVY:
        (tmp_path / f"{library}.py").write_text("")
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == ""
    for command_line in ([], ["run"], ["score"], ["report"], ["show"], ["detect"]):
        done = call(*command_line, "--help", cwd=tmp_path)
        assert done.returncode == 0
        assert "Usage" in done.stdout


def test_score_by_both_scorers(tenth_of_release: Path, tmp_path: Path) -> None:
    outputs = tenth_of_release / "outputs" / "command-r-plus"
    arguments = ("score", "--dataset", tenth_of_release, "--outputs", outputs, "--json")
    both = call_json(*arguments, "--scorer", "both", cwd=tmp_path)
    assert set(both) == {"official", "strict"}
    assert both["official"] == call_json(*arguments, cwd=tmp_path)
    assert both["strict"] == call_json(*arguments, "--scorer", "strict", cwd=tmp_path)
    assert both["official"]["coverage"]["questions"] == both["strict"]["coverage"]["questions"]
    # A question's own object counts as violated where it is missing, not as absent.
    assert both["strict"]["coverage"]["absent"] != both["official"]["coverage"]["absent"]


def test_judge_says_both_verdicts(tmp_path: Path) -> None:
    cases = [
        {"id": "ok", "output": "def a_f(): 0", "object": "function", "rule": "^a_.*"},
        {"id": "none", "output": "x = 1", "object": "function", "rule": "^a_.*"},
        {
            "id": "wanted",
            "output": "x = 1",
            "object": "function",
            "rule": "^a_.*",
            "query_elicits": True,
        },
        {"id": "broken", "output": "def (", "object": "import", "rule": ["os", True]},
    ]
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    judged = call_json("judge", "cases.json", "--json", cwd=tmp_path)
    assert [(j["id"], j["official"], j["strict"]) for j in judged] == [
        ("ok", 1.0, "followed"),
        ("none", None, "absent"),
        ("wanted", None, "violated"),
        ("broken", 0.0, "unparsable"),
    ]
    assert all(j["seconds"] >= 0 for j in judged)
    done = call("judge", "cases.json", cwd=tmp_path)
    assert "left out" in done.stdout


@pytest.mark.parametrize(
    ("cases", "message"),
    [
        ({}, "[0].object: missing"),
        ([{"id": "a", "output": "x"}], "[0].object: missing; want a string"),
        (
            [{"id": "a", "output": "x", "object": "loop", "rule": True}],
            '[0].rule: unknown object "loop"; known are function',
        ),
        ([{"id": "a", "output": "x", "object": "class", "rule": "("}], "does not compile"),
        ([{"output": "x", "object": "class", "rule": True}], "[0].id: missing"),
    ],
)
def test_a_faulty_case_is_named(tmp_path: Path, cases: object, message: str) -> None:
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    done = call("judge", "cases.json", cwd=tmp_path)
    assert done.returncode == 1
    assert message in done.stderr


def test_verify_compares_with_the_papers_table(release: Path, tmp_path: Path) -> None:
    """Of one model, and with ``MEMORYCODE_SLOW=1`` of three."""
    outputs = tmp_path / "outputs"
    outputs.mkdir()
    wanted = 3 if os.environ.get("MEMORYCODE_SLOW") else 1
    models = sorted((release / "outputs").iterdir())[:wanted]
    for model in models:
        (outputs / model.name).symlink_to(model)
    arguments = ("verify", "--dataset", release, "--outputs", outputs)
    found = call_json(*arguments, "--json", cwd=tmp_path)
    assert len(found["cells"]) == 4 * len(models) > 0
    assert {cell["finding"] for cell in found["cells"]} == {"consistent"}
    assert found["unknown_folders"] == []
    assert "gpt-4o" in found["absent_models"]


def test_verify_shows_the_digits_of_the_whole_release(whole_release: Path, tmp_path: Path) -> None:
    """One of the 210 short dialogues of this model has nothing to average, in the paper too."""
    outputs = whole_release / "outputs" / "command-r-plus"
    done = call("verify", "--dataset", whole_release, "--outputs", outputs, cwd=tmp_path)
    assert done.returncode == 0
    assert "4 of 4 cells agree. command-r-plus, short history: the mean is over 209" in done.stdout
    assert done.stdout.count(" equal") == 4


def test_verify_names_the_folders_that_it_leaves_out(dataset: Path, tmp_path: Path) -> None:
    for name in ("gpt-4o", "mine"):
        (tmp_path / "outputs" / name).mkdir(parents=True)
        (tmp_path / "outputs" / name / "output_7.json").write_text('{"sessions": []}')
    done = call("verify", "--dataset", dataset, "--outputs", "outputs", cwd=tmp_path)
    assert done.returncode == 1
    assert "0 of 4 cells agree." in done.stdout
    assert "Left out, no model of Table 4: mine.\n" in done.stdout
    assert "In Table 4, but not in this folder: Meta-Llama-3.1-8B-Instruct-Turbo," in done.stdout


def test_verify_says_what_it_needs(dataset: Path, tmp_path: Path) -> None:
    done = call("verify", cwd=tmp_path)
    assert done.returncode == 1
    assert "MemoryCode: no such file or folder" in done.stderr
    done = call("verify", "--dataset", dataset, "--outputs", tmp_path, cwd=tmp_path)
    assert done.returncode == 2
    assert "no outputs of a published model here" in done.stderr
