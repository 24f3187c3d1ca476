"""A model as renderer, asked over HTTP: what it is asked, and that nothing wrong is kept."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from memorycode.dialogue import Context, Instruction, Speakers
from memorycode.errors import ModelUnavailable, RenderError, UsageError
from memorycode.generation.model_renderer import ModelRenderer, transcript_of
from memorycode.generation.pool import SeedPool
from memorycode.generation.renderers import RendererChoice
from memorycode.generation.rendering import Renderer
from memorycode.generation.seeds import Persona
from memorycode.generation.template import (
    PlannedFiller,
    PlannedInstruction,
    PlannedSession,
    Template,
)
from memorycode.models.ideal_mentee import IdealMentee
from memorycode.rules import Rule

PEOPLE = Speakers(mentor="Ilse", mentee="Omar", company="Windrose")


def rule(version: int, value: str) -> Instruction:
    return Instruction(
        family=6,
        version=version,
        rule=Rule(object="function", check=f"^{value}.*"),
        text=f"begin all function names with '{value}'",
        eval_query="function that adds",
    )


def template(*sessions: PlannedSession) -> Template:
    return Template(
        context=Context(
            mentor="Ilse",
            mentee="Omar",
            company="Windrose",
            mentor_persona="Ilse is calm.",
            mentee_persona="Omar asks a lot.",
        ),
        mentor=Persona(text="{name} is calm."),
        mentee=Persona(text="{name} asks a lot."),
        sessions=sessions,
    )


TOPIC = PlannedFiller(kind="filler", number=1, version=0, topic="who waters the plants")
TOLD = PlannedSession(
    length="short", instructions=(PlannedInstruction(instruction=rule(0, "a_")),), filler=TOPIC
)
CHANGED = PlannedSession(
    length="long",
    instructions=(PlannedInstruction(instruction=rule(1, "b_"), replaces=rule(0, "a_")),),
)
TWO = template(TOLD, CHANGED)

GOOD = (
    "Ilse: Who waters the plants here?\n\nOmar: I do, on Mondays.\n\n"
    "Ilse: Good. One more thing: please begin all function names with 'a_' from now on.\n\n"
    "Omar: Will do."
)
GOOD_CHANGE = (
    "Ilse: A small change, Omar.\n\nOmar: Go on.\n\n"
    "Ilse: From now on begin all function names with 'b_' instead of 'a_'.\n\nOmar: Noted."
)
BAD = {
    "silent": "Ilse: Who waters the plants here?\n\nOmar: I do.",
    "another value": GOOD.replace("'a_'", "'q_'"),
    "another object": GOOD.replace("function names", "variable names"),
    "one rule too many": GOOD.replace("from now on.", "from now on. All methods need docstrings."),
    "only the mentee says it": (
        "Ilse: Who waters the plants?\n\nOmar: I will begin all function names with 'a_'."
    ),
    "only a past rule": GOOD.replace(
        "please begin all function names with 'a_' from now on",
        "we used to begin all function names with 'a_'",
    ),
    "a third voice": GOOD + "\n\nNarrator: They parted as friends.",
    "a monologue": "Ilse: Please begin all function names with 'a_' from now on.",
    "no speakers": "Please begin all function names with 'a_' from now on.",
    "nothing": "",
    "a refusal": "I am sorry, but I cannot write that.",
}


class Endpoint:
    """A chat endpoint on this machine that replies with `answers` in turn, then with the last."""

    def __init__(self) -> None:
        self.answers: list[str] = [GOOD]
        self.status = 200
        self.requests: list[dict[str, Any]] = []
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                turn = min(len(endpoint.requests), len(endpoint.answers) - 1)
                endpoint.requests.append(json.loads(body))
                payload = reply(endpoint.answers[turn]).encode()
                self.send_response(endpoint.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, format: str, *args: object) -> None:
                """The test's output stays quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    def asked(self, number: int) -> str:
        text: str = self.requests[number]["messages"][0]["content"]
        return text


def reply(content: str) -> str:
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return json.dumps({"id": "1", "object": "chat.completion", "choices": [choice]})


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    made = Endpoint()
    thread = threading.Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


@pytest.fixture(scope="module")
def pool() -> SeedPool:
    return SeedPool.load()


@pytest.fixture
def renderer(endpoint: Endpoint, pool: SeedPool) -> Renderer:
    """As ``--renderer openai/writer --base-url …`` gives it."""
    return RendererChoice(spec="openai/writer", base_url=endpoint.url).build(pool)


def test_good_answers_are_kept(endpoint: Endpoint, renderer: Renderer) -> None:
    endpoint.answers = [GOOD, GOOD_CHANGE]
    assert list(renderer.render(TWO, random.Random(0))) == [GOOD, GOOD_CHANGE]
    assert len(endpoint.requests) == 2


def test_the_model_is_told_all_that_the_plan_holds(endpoint: Endpoint, renderer: Renderer) -> None:
    endpoint.answers = [GOOD, GOOD_CHANGE]
    renderer.render(TWO, random.Random(0))
    first, second = endpoint.asked(0), endpoint.asked(1)
    wanted = ("Ilse is calm.", "Omar asks a lot.", "Windrose", "290 words", "waters the plants")
    assert all(piece in first for piece in wanted)
    assert "begin all function names with 'a_'" in first
    assert "Until now it was: begin all function names with 'a_'" in second
    assert "begin all function names with 'b_'" in second
    assert "510 words" in second
    assert {request["temperature"] for request in endpoint.requests} == {0.9}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_answer_is_asked_for_again(endpoint: Endpoint, renderer: Renderer, name: str) -> None:
    endpoint.answers = [BAD[name], GOOD]
    assert list(renderer.render(template(TOLD), random.Random(0))) == [GOOD]
    assert len(endpoint.requests) == 2


@pytest.mark.parametrize("name", BAD)
def test_what_stays_bad_is_reported_and_not_kept(
    endpoint: Endpoint, renderer: Renderer, name: str
) -> None:
    endpoint.answers = [BAD[name]]
    with pytest.raises(RenderError, match=r"session 0: .+ \(5 attempts\)"):
        renderer.render(TWO, random.Random(0))
    assert len(endpoint.requests) == 5  # and the second session was not begun


def test_a_change_that_says_the_old_version_is_rejected(
    endpoint: Endpoint, renderer: Renderer
) -> None:
    wrong = GOOD_CHANGE.replace("'b_' instead of 'a_'", "'a_' instead of 'b_'")
    endpoint.answers = [wrong, GOOD_CHANGE]
    assert list(renderer.render(template(CHANGED), random.Random(0))) == [GOOD_CHANGE]


def test_a_wrong_address_ends_it_at_once(endpoint: Endpoint, renderer: Renderer) -> None:
    endpoint.status = 404
    with pytest.raises(ModelUnavailable):
        renderer.render(TWO, random.Random(0))
    assert len(endpoint.requests) == 1


def test_a_stand_in_cannot_write() -> None:
    with pytest.raises(UsageError, match="ideal-mentee is no language model"):
        ModelRenderer(IdealMentee())


@pytest.mark.parametrize(
    "mangle",
    [
        lambda text: text,
        lambda text: f"Here is the conversation:\n\n{text}\n",
        lambda text: f"```\n{text}\n```",
        lambda text: text.replace("Ilse:", "**Ilse:**").replace("Omar:", "**Omar**:"),
        lambda text: text.replace("\n\n", "\n"),
        lambda text: text.replace("\n\n", "\n\n---\n\n"),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("One more thing: please", "\n\nOne more thing: please"),
    ],
    ids=["as asked", "preface", "fence", "bold", "no blank lines", "lines", "CRLF", "paragraphs"],
)
def test_habits_of_models_do_not_matter(mangle: Callable[[str], str]) -> None:
    assert transcript_of(mangle(GOOD), PEOPLE) == GOOD


def test_the_voice_of_a_third_is_left_to_be_found() -> None:
    text = transcript_of(f"{GOOD}\n\nHR Manager: Hello!", PEOPLE)
    assert text.endswith("\n\nHR Manager: Hello!")
