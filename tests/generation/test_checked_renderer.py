"""The check around renderers: what is wrong is rendered again, and reported where it stays so."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from memorycode.dialogue import Context, Instruction, Speakers
from memorycode.errors import ModelError, ModelUnavailable, RenderError
from memorycode.generation.checked_renderer import CheckedRenderer
from memorycode.generation.pool import SeedPool
from memorycode.generation.seeds import Persona
from memorycode.generation.session_check import ToldInPoolsWords, states_its_rules
from memorycode.generation.template import PlannedInstruction, PlannedSession, Template
from memorycode.generation.wording import wording
from memorycode.rules import Rule

ADA_AND_BO = Speakers(mentor="Ada", mentee="Bo")
SMALL_TALK = "Ada: How are you?\n\nBo: Well, thank you."
PREFIX = Instruction(
    family=6,
    version=0,
    rule=Rule(object="function", check="^a_.*"),
    text="begin all function names with 'a_'",
    eval_query="function that adds",
)
DOCSTRING = Rule(object="method docstring", check=True)
STATED = "Ada: Please begin all function names with 'a_'.\n\nBo: Will do."
NOTHING_TOLD = PlannedSession(length="short")
PREFIX_TOLD = PlannedSession(length="short", instructions=(PlannedInstruction(instruction=PREFIX),))


def template(*sessions: PlannedSession) -> Template:
    return Template(
        context=Context(mentor="Ada", mentee="Bo", company="Windrose"),
        mentor=Persona(text="{name}"),
        mentee=Persona(text="{name}"),
        sessions=sessions,
    )


class Recorded:
    """A renderer that reads out what it was given, whatever the session."""

    def __init__(self, answers: Sequence[str | ModelError]) -> None:
        self.left = list(answers)

    def begin(self, template: Template, rng: random.Random) -> Recorded:
        return self

    def render(self, template: Template, rng: random.Random) -> list[str]:
        return [self.write(index) for index in range(len(template.sessions))]

    def write(self, index: int) -> str:
        answer = self.left.pop(0)
        if isinstance(answer, ModelError):
            raise answer
        return answer


def test_all_is_well() -> None:
    rendering = CheckedRenderer(Recorded([SMALL_TALK, STATED])).attempt(
        template(NOTHING_TOLD, PREFIX_TOLD), random.Random(0)
    )
    assert rendering.texts == (SMALL_TALK, STATED)
    assert rendering.failure is None
    assert [report.attempts for report in rendering.reports] == [1, 1]


def test_a_session_is_rendered_again_and_the_report_says_why() -> None:
    (report,) = (
        CheckedRenderer(Recorded([SMALL_TALK, STATED]))
        .attempt(template(PREFIX_TOLD), random.Random(0))
        .reports
    )
    assert (report.attempts, report.failed) == (2, False)
    assert [found.missing for found in report.rejected] == [(PREFIX.rule,)]


def test_after_so_many_attempts_it_fails_and_nothing_more_is_rendered() -> None:
    recorded = Recorded([STATED, SMALL_TALK, SMALL_TALK, STATED])
    checked = CheckedRenderer(recorded, attempts=2)
    rendering = checked.attempt(template(PREFIX_TOLD, PREFIX_TOLD, PREFIX_TOLD), random.Random(0))
    assert rendering.texts == (STATED,)
    assert rendering.failure is not None
    assert rendering.failure.session == 1
    assert rendering.failure.last.missing == (PREFIX.rule,)
    assert recorded.left == [STATED]


def test_a_failure_is_an_error_that_names_session_and_rule() -> None:
    checked = CheckedRenderer(Recorded([SMALL_TALK]), attempts=1)
    with pytest.raises(RenderError, match=r"session 0: does not tell function '\^a_\.\*'"):
        checked.render(template(PREFIX_TOLD), random.Random(0))


def test_a_rule_too_many_is_a_finding() -> None:
    text = STATED.replace("'a_'.", "'a_'. All methods need docstrings.")
    found = states_its_rules(text, PREFIX_TOLD, ADA_AND_BO)
    assert (found.missing, found.extra) == ((), (DOCSTRING,))
    assert states_its_rules(STATED, NOTHING_TOLD, ADA_AND_BO).extra == (PREFIX.rule,)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "paragraph 1 has no speaker"),
        ("Ada: Hello.\n\nHow are you?\n\nBo: Hi.", "paragraph 2 has no speaker"),
        ("Ada: Hello.\n\nBob: Hi.", "paragraph 2 is spoken by 'Bob'"),
        ("ada: Hello.\n\nBo: Hi.", "paragraph 1 is spoken by 'ada'"),
        ("Ada: Hello.", "Bo says nothing"),
    ],
)
def test_labels_are_the_two_speakers(text: str, problem: str) -> None:
    assert states_its_rules(text, NOTHING_TOLD, ADA_AND_BO).problem == problem


def test_a_call_that_fails_is_an_attempt() -> None:
    recorded = Recorded([ModelError("too long", kind="truncated"), STATED])
    rendering = CheckedRenderer(recorded).attempt(template(PREFIX_TOLD), random.Random(0))
    assert rendering.texts == (STATED,)
    assert rendering.reports[0].rejected[0].problem == "too long"


def lost(kind: str) -> ModelError:
    return ModelError("no answer", kind=kind)


@pytest.mark.parametrize("kind", ["connection", "timeout", "server_error"])
def test_one_call_without_an_answer_costs_nothing(kind: str) -> None:
    recorded = Recorded([lost(kind), STATED])
    rendering = CheckedRenderer(recorded, attempts=1).attempt(
        template(PREFIX_TOLD), random.Random(0)
    )
    assert rendering.texts == (STATED,)


@pytest.mark.parametrize("kind", ["connection", "timeout", "server_error"])
def test_a_model_without_an_answer_is_no_matter_of_the_text(kind: str) -> None:
    recorded = Recorded([lost(kind), lost(kind), STATED])
    with pytest.raises(ModelError, match="session 0: no answer") as caught:
        CheckedRenderer(recorded).render(template(PREFIX_TOLD), random.Random(0))
    assert caught.value.kind == kind
    assert recorded.left == [STATED]


def test_a_model_that_is_not_there_is_not_asked_again() -> None:
    recorded = Recorded([ModelUnavailable("no such model", kind="not_found"), STATED])
    with pytest.raises(ModelUnavailable):
        CheckedRenderer(recorded).render(template(PREFIX_TOLD), random.Random(0))
    assert recorded.left == [STATED]


# ── what is paraphrased or implied ────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def pool() -> SeedPool:
    return SeedPool.load()


def in_other_words(pool: SeedPool, version: int) -> list[str]:
    words = wording(pool.instructions[6], version, pool.phrases)
    lines = (*words.phrases.paraphrase, *words.phrases.hint)
    return [f"Ada: {line.format_map(words.variables)}\n\nBo: I see." for line in lines]


def test_the_pools_own_words_count_as_told(pool: SeedPool) -> None:
    check = ToldInPoolsWords(pool)
    texts = in_other_words(pool, PREFIX.version)
    assert all(check(text, PREFIX_TOLD, ADA_AND_BO).is_clean for text in texts)
    assert not all(states_its_rules(text, PREFIX_TOLD, ADA_AND_BO).is_clean for text in texts)


def test_the_words_of_another_version_do_not(pool: SeedPool) -> None:
    check = ToldInPoolsWords(pool)
    for text in [SMALL_TALK, *in_other_words(pool, PREFIX.version + 1)]:
        assert check(text, PREFIX_TOLD, ADA_AND_BO).missing == (PREFIX.rule,)


def test_other_words_do_not_excuse_a_rule_too_many(pool: SeedPool) -> None:
    text = in_other_words(pool, PREFIX.version)[-1] + "\n\nAda: All methods need docstrings."
    assert ToldInPoolsWords(pool)(text, PREFIX_TOLD, ADA_AND_BO).extra == (DOCSTRING,)
