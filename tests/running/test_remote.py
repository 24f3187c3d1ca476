"""A task whose worker dies is played by another one, without what has come in, and not for ever."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memorycode import errors
from memorycode.dialogue import Dialogue
from memorycode.errors import MemorycodeError
from memorycode.evaluation import prepare_job
from memorycode.experiment import Experiment, make_experiment
from memorycode.running.backends.remote import ATTEMPTS, RemoteTask
from memorycode.running.backends.specs import Ended, RunSpec, TaskSpec, WorkerLost, WorkerProblem
from memorycode.running.backends.worker import Worker, play
from memorycode.running.meter import Halted
from memorycode.running.records import Asked, Judgement, TaskEvent

EXPERIMENT = make_experiment({"strategies": ["cumulative"], "dataset": "x"})


class Mortal:
    """Plays here and dies after so many questions, a life after the other."""

    def __init__(self, run_spec: RunSpec, lives: list[int]) -> None:
        self.run_spec, self.lives = run_spec, lives
        self.tasks: list[TaskSpec] = []

    def play(self, task_spec: TaskSpec, stopped: Callable[[], bool]) -> Iterator[TaskEvent | Ended]:
        self.tasks.append(task_spec)
        left = self.lives.pop(0)
        for heard in play(self.run_spec, task_spec, lambda *_: ""):
            if not left and not isinstance(heard, Judgement):
                raise WorkerLost
            left -= isinstance(heard, Asked)
            yield heard


def _task(dialogue: Dialogue, lives: list[int]) -> tuple[RemoteTask, Mortal, list[str]]:
    """The task, its workers, and the ids of the questions that come in."""
    job = prepare_job(EXPERIMENT, [dialogue])
    workers = Mortal(RunSpec(EXPERIMENT, job.settings), lives)
    (planned,) = job.tasks()
    task = RemoteTask(workers, planned)
    came: list[str] = []
    try:
        events = task.run(set(), lambda: False)
        came += (event.record.id for event in events if isinstance(event, Asked))
    except MemorycodeError as error:
        came.append(str(error))
    return task, workers, came


def test_what_came_in_is_not_asked_again(small_dialogue: Dialogue) -> None:
    _, whole, expected = _task(small_dialogue, [100])
    assert len(expected) == 6
    assert whole.tasks[0].done == frozenset()
    task, workers, came = _task(small_dialogue, [2, 1, 100])
    assert came == expected
    assert [len(task_spec.done) for task_spec in workers.tasks] == [0, 2, 3]
    assert task.played
    assert task.summary(0).dialogue == small_dialogue.number


def test_a_worker_that_dies_at_the_very_end_leaves_nothing_to_ask(small_dialogue: Dialogue) -> None:
    task, workers, came = _task(small_dialogue, [6])
    assert len(came) == 6
    assert len(workers.tasks) == 1
    assert not task.played


def test_a_unit_that_kills_every_worker_ends_the_run(small_dialogue: Dialogue) -> None:
    *came, complaint = _task(small_dialogue, [1] * 10)[2]
    assert len(came) == ATTEMPTS
    assert f"{ATTEMPTS} workers in a row died of dialogue 7 with cumulative" in complaint
    assert "the same command goes on from here" in complaint


def test_a_lost_connection_is_no_failure_of_the_model(small_dialogue: Dialogue) -> None:
    """The run is over; the question is not recorded as failed."""

    def ask(*_: object) -> str:
        raise EOFError

    settings = prepare_job(EXPERIMENT, [small_dialogue]).settings
    task_spec = TaskSpec(small_dialogue, "cumulative", "ideal-mentee", frozenset())
    (ended,) = play(RunSpec(EXPERIMENT, settings), task_spec, ask)
    assert isinstance(ended, Ended)
    assert ended.problem is not None
    assert ended.problem.kind is Halted
    assert "cannot be reached any more: EOFError" in ended.problem.text


def test_another_version_of_a_plug_in_is_refused(small_dialogue: Dialogue) -> None:
    settings = prepare_job(EXPERIMENT, [small_dialogue]).settings
    (entry,) = settings.strategies
    other = entry.model_copy(update={"source": "0123"})
    run_spec = RunSpec(EXPERIMENT, settings.model_copy(update={"strategies": (other,)}))
    (ended,) = play(
        run_spec, TaskSpec(small_dialogue, "cumulative", "ideal-mentee", frozenset()), str
    )
    assert isinstance(ended, Ended)
    assert ended.problem is not None
    with pytest.raises(errors.PluginError, match="cumulative is another one on "):
        raise ended.problem.error()


def test_the_prompts_travel_with_the_recipe(small_dialogue: Dialogue, tmp_path: Path) -> None:
    """Their folder need not be there where the tasks are played."""
    (tmp_path / "question.txt").write_text("Sing: {query}")
    experiment = make_experiment(EXPERIMENT.model_dump() | {"prompts": str(tmp_path)})
    settings = prepare_job(experiment, [small_dialogue]).settings
    (tmp_path / "question.txt").unlink()
    tmp_path.joinpath("nothing.txt").unlink(missing_ok=True)
    gone = Experiment.model_validate(experiment.model_dump() | {"prompts": str(tmp_path / "gone")})
    assert Worker(RunSpec(gone, settings))


@pytest.mark.parametrize(
    "error",
    [
        Halted("--max-calls 1 is reached"),
        errors.ModelUnavailable("no such model", kind="not_found"),
        errors.NoRecordedAnswer("there is none"),
        errors.DatasetError("not JSON", file="output_1.json", where="sessions[0]"),
        errors.UsageError("no such thing"),
    ],
)
def test_errors_travel_as_data(error: MemorycodeError) -> None:
    problem: WorkerProblem = pickle.loads(pickle.dumps(WorkerProblem.of(error, "")))
    again = problem.error()
    assert str(again) == str(error)
    assert isinstance(again, MemorycodeError)
    if isinstance(error, errors.ModelError):
        assert isinstance(again, errors.ModelError)
        assert again.kind == error.kind


def test_a_fault_of_the_program_keeps_its_traceback() -> None:
    with pytest.raises(RuntimeError, match="Traceback of that"):
        raise WorkerProblem.of(KeyError("x"), "Traceback of that").error()
