"""Answers on disk: what decides an answer decides its key, and only whole answers are kept."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pydantic import JsonValue
from typer.testing import CliRunner

from memorycode.cli.caching import cache_app
from memorycode.errors import ModelError, UsageError
from memorycode.model_options import ModelOptions
from memorycode.models.cached import CachedModel, ResponseCache
from memorycode.models.ideal_mentee import IdealMentee
from memorycode.models.openai_chat import OpenAIChat
from memorycode.protocols import Completion, Message, Model, Prompt, Usage
from tests.models.fault_server import FaultServer

_WRITER = """
import sys
from pathlib import Path
from memorycode.models.cached import ResponseCache
from memorycode.protocols import Completion
cache = ResponseCache(Path(sys.argv[1]))
for n in range(200):
    cache.put(f"{sys.argv[2]} {n}".encode(), "m", Completion(text=sys.argv[2]))
    cache.put(f"both {n}".encode(), "m", Completion(text=sys.argv[2]))
cache.close()
"""


class Counting:
    """A language model that numbers its answers."""

    name = "counting"
    is_language_model = True
    note = "It counts."
    context_limit = 77

    def __init__(self, options: dict[str, JsonValue] | None = None, reason: str = "stop") -> None:
        self.options = options or {"temperature": 0.0}
        self.calls = 0
        self._reason = reason

    def generate(self, prompt: Prompt) -> Completion:
        self.calls += 1
        if prompt.text == "fail":
            raise ModelError("no", kind="server_error")
        usage = Usage(prompt_tokens=3, completion_tokens=2, source="endpoint")
        return Completion(
            text=f"answer {self.calls}", finish_reason=self._reason, usage=usage, latency=0.5
        )


class Told(Counting):
    """One that reads messages."""

    def generate(self, prompt: Prompt) -> Completion:
        return super().generate(Prompt(("".join(prompt.parts),)))


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[ResponseCache]:
    made = ResponseCache(tmp_path / "r.sqlite")
    yield made
    made.close()


def test_the_same_question_is_asked_once(cache: ResponseCache) -> None:
    model = Counting()
    asked = CachedModel(model, cache)
    first, second = (asked.generate(Prompt(parts)) for parts in (("a", "b"), ("ab",)))

    assert (first.cached, second.cached, model.calls) == (False, True, 1)
    assert second.model_copy(update={"cached": False}) == first


def test_answers_outlive_the_process(tmp_path: Path) -> None:
    for expected in (False, True):
        cache = ResponseCache(tmp_path / "r.sqlite")
        answer = CachedModel(Counting(), cache).generate(Prompt(("half \ud83d",)))
        cache.close()
        assert (answer.text, answer.cached) == ("answer 1", expected)


def test_whatever_decides_an_answer_tells_it_apart(cache: ResponseCache) -> None:
    other = Counting({"temperature": 1.0, "address": "http://elsewhere/v1"})
    other_name = Counting()
    other_name.name = "counting/2"
    asked: list[tuple[Model, int, Prompt]] = [
        (Counting(), 0, Prompt(("q",))),
        (Counting(), 1, Prompt(("q",))),
        (Counting(), 0, Prompt(("q",), schema={"type": "object"})),
        (Counting(), 0, Prompt(("q ",))),
        (other, 0, Prompt(("q",))),
        (other_name, 0, Prompt(("q",))),
    ]
    for expected in (False, True):
        answers = [CachedModel(m, cache, repeat=n).generate(p) for m, n, p in asked]
        assert [answer.cached for answer in answers] == [expected] * len(asked)


@pytest.mark.parametrize(
    ("prompt", "sample", "key"),
    [
        (
            Prompt(("You are Petra. ", "Write a function.")),
            0,
            "004ef78df9fe8094bdda09a2e3f6672aaf0948e76785d7045bb4a63b73a0bddf",
        ),
        (
            Prompt(("q",), schema={"type": "object"}),
            1,
            "7b835fd1a2bcdb21f9b11d54e8b40080054e1b8c7c439eb3a43f6ce9e4d75f1d",
        ),
        (
            Prompt(messages=(Message("user", ("half ", "\ud83d")),)),
            0,
            "26ab8eb5ac469e13dc9faae7d50fb02246d64c6d1141c3aca594b0a61ad7a172",
        ),
    ],
    ids=["text", "schema and sample", "half a pair"],
)
def test_answers_kept_before_there_were_conversations_are_still_found(
    cache: ResponseCache, prompt: Prompt, sample: int, key: str
) -> None:
    """The keys were written by an earlier version."""
    cache.put(bytes.fromhex(key), "counting", Completion(text="kept then"))
    answer = CachedModel(Counting(), cache, repeat=sample).generate(prompt)
    assert (answer.text, answer.cached) == ("kept then", True)


def test_a_conversation_is_kept_by_its_messages_whatever_their_parts(cache: ResponseCache) -> None:
    model = Told()
    talks = [
        (Message("user", ("a", "b")), Message("assistant", ("c",)), Message("user", ("d",))),
        (Message("user", ("ab",)), Message("assistant", ("c",)), Message("user", ("", "d"))),
        (Message("user", ("ab",)), Message("user", ("c",)), Message("user", ("d",))),
        (Message("user", ("abc",)), Message("user", ("d",))),
        (Message("system", ("abcd",)),),
        (Message("user", ("abcd",)),),
        (Message("user", (json.dumps([{"role": "system", "content": "abcd"}]),)),),
    ]
    answers = [CachedModel(model, cache).generate(Prompt(messages=talk)) for talk in talks]

    assert [answer.cached for answer in answers] == [False, True, *[False] * 5]


def test_the_endpoint_is_part_of_what_decides(cache: ResponseCache) -> None:
    with FaultServer() as one, FaultServer() as two:
        for server in (one, two, one, two):
            model = OpenAIChat(
                "tiny", ModelOptions(base_url=server.url), api_key="sk-some-key-of-mine"
            )
            CachedModel(model, cache).generate(Prompt(("q",)))
        assert (one.requests, two.requests) == (1, 1)


def test_another_key_finds_the_same_answers(cache: ResponseCache) -> None:
    with FaultServer() as server:
        for key in ("sk-some-key-of-mine", "sk-another-key-of-mine"):
            model = OpenAIChat("tiny", ModelOptions(base_url=server.url), api_key=key)
            CachedModel(model, cache).generate(Prompt(("q",)))
        assert server.requests == 1


def test_failures_are_not_kept(cache: ResponseCache) -> None:
    model = Counting()
    for _ in range(2):
        with pytest.raises(ModelError):
            CachedModel(model, cache).generate(Prompt(("fail",)))
    assert (model.calls, cache.counts()) == (2, {})


@pytest.mark.parametrize("reason", ["length", "content_filter", "tool_calls"])
def test_what_did_not_end_by_itself_is_not_kept(cache: ResponseCache, reason: str) -> None:
    model = Counting(reason=reason)
    for _ in range(2):
        assert not CachedModel(model, cache).generate(Prompt(("q",))).cached
    assert model.calls == 2


def test_stand_ins_are_not_cached(cache: ResponseCache) -> None:
    model = CachedModel(IdealMentee(), cache)
    for _ in range(2):
        assert not model.generate(Prompt(("function that adds",))).cached
    assert (model.is_language_model, cache.counts()) == (False, {})


def test_it_looks_like_the_model_behind_it(cache: ResponseCache) -> None:
    model = CachedModel(Counting(), cache)

    assert isinstance(model, Model)
    assert (model.name, model.note, model.context_limit) == ("counting", "It counts.", 77)
    assert model.options == {"temperature": 0.0}
    model.probe()  # the one behind it cannot tell


def test_two_that_ask_at_once_go_on_with_one_answer(cache: ResponseCache) -> None:
    """Else a run would say something else the next time, when both come from the cache."""
    assert cache.put(b"k", "m", Completion(text="first")).text == "first"
    later = cache.put(b"k", "m", Completion(text="second"))
    assert (later.text, later.cached) == ("first", True)


def test_an_answer_that_was_asked_for_is_none_from_the_cache(cache: ResponseCache) -> None:
    """Though another, who asked at the same time, was answered first and that answer holds."""

    class Overtaken(Counting):
        def generate(self, prompt: Prompt) -> Completion:
            CachedModel(Counting(), cache).generate(prompt)
            return super().generate(prompt).model_copy(update={"text": "the later one"})

    answer = CachedModel(Overtaken(), cache).generate(Prompt(("q",)))
    assert (answer.text, answer.cached) == ("answer 1", False)


def test_threads_share_a_cache(cache: ResponseCache) -> None:
    model = Counting()
    prompts = [Prompt((f"q{number % 10}",)) for number in range(200)]
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(CachedModel(model, cache).generate, prompts))
    by_prompt = {prompt.text: answer.text for prompt, answer in zip(prompts, answers, strict=True)}

    assert [a.text for a in answers] == [by_prompt[prompt.text] for prompt in prompts]
    assert cache.counts() == {"counting": 10}


def test_processes_share_a_file(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "r.sqlite"
    writers = [subprocess.Popen([sys.executable, "-c", _WRITER, str(file), n]) for n in ("x", "y")]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    cache = ResponseCache(file)
    counts = cache.counts()
    cache.close()
    assert counts == {"m": 600}


def test_an_answer_that_cannot_be_read_is_asked_again(cache: ResponseCache) -> None:
    model = CachedModel(Counting(), cache)
    model.generate(Prompt(("q",)))
    cache._database.execute("UPDATE answers SET completion = '{\"words\": 1}'")
    assert model.generate(Prompt(("q",))).text == "answer 2"


def test_a_cache_that_fails_loses_no_answer(cache: ResponseCache) -> None:
    cache._database.execute("DROP TABLE answers")
    assert CachedModel(Counting(), cache).generate(Prompt(("q",))).text == "answer 1"


def test_a_file_that_is_no_cache_is_named(tmp_path: Path) -> None:
    file = tmp_path / "r.sqlite"
    file.write_text("no database, and rather long, so that it cannot be taken for one" * 20)
    with pytest.raises(UsageError, match=r"r\.sqlite: no cache .* set MEMORYCODE_CACHE"):
        ResponseCache(file)


# ── the commands ──────────────────────────────────────────────────────────────────────────────


def test_the_commands_count_and_clear(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMORYCODE_CACHE", str(tmp_path))
    cache = ResponseCache()
    for number in range(3):
        CachedModel(Counting(), cache, repeat=number).generate(Prompt(("q",)))
    cache.close()

    def command(*words: str) -> dict[str, object]:
        done = CliRunner().invoke(cache_app, [*words, "--json"], catch_exceptions=False)
        answer: dict[str, object] = json.loads(done.stdout)
        return answer

    told = command("stats")
    assert (told["answers"], told["models"]) == (3, {"counting": 3})
    assert told["file"] == str(tmp_path / "responses.sqlite")
    assert "3 answers" in CliRunner().invoke(cache_app, ["stats"]).stdout
    assert command("clear")["removed"] == 3
    assert command("stats", str(tmp_path / "responses.sqlite"))["answers"] == 0


def test_a_mistyped_name_makes_no_cache(tmp_path: Path) -> None:
    file = tmp_path / "mistyped.sqlite"
    with pytest.raises(UsageError, match=r"mistyped\.sqlite: there is no cache"):
        CliRunner().invoke(cache_app, ["clear", str(file)], catch_exceptions=False)
    assert not file.exists()
