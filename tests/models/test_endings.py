"""Only a clean stop makes a text an answer, whatever a vendor calls it; what was broken off is a
failure with a name, asked again where that helps and never kept."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from memorycode.errors import ModelError, PassingFailure
from memorycode.model_options import ModelOptions
from memorycode.models.cached import CachedModel, ResponseCache
from memorycode.models.endings import no_answer
from memorycode.models.failures import refused_reply
from memorycode.models.openai_chat import OpenAIChat
from memorycode.protocols import Completion, Prompt
from tests.models.fault_server import (
    BROKEN_OFF,
    ERROR_BESIDE_CHOICES,
    ERROR_IN_CHOICE,
    LASTING,
    Fault,
    FaultServer,
    answer_to,
    completion,
)

PROMPT = Prompt(("Write a function.",))
CODE = "def f():\n    return 1\n"

CLEAN = (
    *(None, "", "stop", "STOP", "FinishReason.STOP", "FINISH_REASON_STOP", "REASON_STOP"),
    *("eos", "eos_token", "end_turn", "endTurn", "END-TURN", "end_of_turn", "stop_sequence"),
    *("COMPLETE", "completed", "FINISH", "stopStringFound", "eosFound", "endoftext"),
)
BROKEN = {
    "truncated": (
        *("length", "LENGTH", "max_tokens", "MAX_TOKENS", "maxTokens", "model_length"),
        *("max_output_tokens", "model_context_window_exceeded", "ERROR_LIMIT", "token_limit"),
        *("maximum_tokens", "max_new_tokens", "out_of_tokens", "limit", "REASON_MAX_LEN"),
    ),
    "content_filter": (
        *("content_filter", "contentFilter", "content_filtered", "CONTENT_FILTERED", "SAFETY"),
        *("RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "IMAGE_SAFETY", "sensitive"),
        *("guardrail_intervened", "ERROR_TOXIC", "MODEL_ARMOR", "content_filter: RECITATION"),
    ),
    "refused": ("refusal", "REFUSAL"),
    "server_error": (
        *("error", "ERROR", "abort", "aborted", "cancelled", "canceled", "USER_CANCEL", "failed"),
        *("insufficient_system_resource", "network_error", "timeout", "time_limit", "exception"),
    ),
    "broken_off": (
        *("tool_calls", "tool_use", "TOOL_CALL", "function_call", "pause_turn", "OTHER"),
        *("MALFORMED_FUNCTION_CALL", "malformed_model_output", "UNEXPECTED_TOOL_CALL"),
        *("LANGUAGE", "incomplete", "null", "42", "…", "nonstop", "stop but not quite"),
    ),
}


@pytest.mark.parametrize("word", CLEAN)
def test_a_clean_stop_is_one_in_any_spelling(word: str | None) -> None:
    assert no_answer(CODE, word) is None


@pytest.mark.parametrize(
    ("kind", "word"), [(kind, word) for kind, words in BROKEN.items() for word in words]
)
def test_any_other_ending_is_a_failure_with_a_name_whatever_was_written(
    kind: str, word: str
) -> None:
    for text in (CODE, "", None, "<think>Well.</think>"):
        failure = no_answer(text, word)
        assert failure is not None
        assert failure.kind == kind
        assert word in failure.problem


@pytest.mark.parametrize("word", [7, True, ["stop"], {"type": "stop"}])
def test_what_is_no_word_is_no_clean_stop(word: object) -> None:
    assert no_answer(CODE, word) is not None


@pytest.mark.parametrize(
    ("word", "helps"), [("error", True), ("MALFORMED_FUNCTION_CALL", True), ("length", False)]
)
def test_asking_again_helps_where_the_endpoint_broke_off(word: str, helps: bool) -> None:
    failure = no_answer(CODE, word)
    assert failure is not None
    assert isinstance(failure.error("m"), PassingFailure) == helps


# ── thoughts ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text",
    [
        "<think>def f(): 0</think>",
        "<think>\ndef f(): 0\n</think>\n\n",
        "<think>def f(): 0",
        "\n <THINKING>```python\ndef f(): 0\n```",
        "def f(): 0</think>",
        "<think></think>",
        "<think></think><think>def f(): 0</think>",
        "<think>a</think> <reasoning>b</reasoning>\n<thought>c",
        "<think>a<think>b</think>c</think>",
        "<think>" * 20_000,
        "<think></think>" * 4_000,
    ],
    ids=lambda text: text[:40],
)
def test_thoughts_alone_are_no_answer(text: str) -> None:
    failure = no_answer(text, "stop")
    assert failure is not None
    assert failure.kind == "empty"


@pytest.mark.parametrize(
    "text",
    [
        "<think>Well.</think>def f(): 0",
        "def f(): 0\n<think>That will do.</think>",
        "def f(): 0\n<think>That will",
        "```\n<think>\n```",
        "'<think>'",
        "I cannot.",
    ],
)
def test_what_stands_beside_thoughts_is_the_answer(text: str) -> None:
    assert no_answer(text, "stop") is None


# ── by way of HTTP, and of the cache ──────────────────────────────────────────────────────────


@pytest.fixture(autouse=True)
def _no_settings_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("fault", [BROKEN_OFF, ERROR_IN_CHOICE, ERROR_BESIDE_CHOICES])
def test_a_reply_that_was_broken_off_is_asked_again(fault: Fault) -> None:
    with FaultServer(lambda number: fault if number == 0 else None) as server:
        answer = OpenAIChat("tiny", ModelOptions(base_url=server.url, max_retries=1)).generate(
            PROMPT
        )
        assert server.requests == 2
    assert answer.text == answer_to(PROMPT.text)


@pytest.mark.parametrize(
    ("code", "kind"), [(429, "rate_limit"), ("529", "server_error"), ("content_filter",) * 2]
)
def test_an_error_in_a_choice_is_known_by_its_code(code: int | str, kind: str) -> None:
    body = completion(CODE, error={"code": code, "message": "no"})
    with FaultServer(lambda number: Fault(kind, body=body)) as server:
        model = OpenAIChat("tiny", ModelOptions(base_url=server.url, max_retries=0))
        with pytest.raises(ModelError, match="reports an error: no") as caught:
            model.generate(PROMPT)
    assert caught.value.kind == kind


def test_an_error_in_the_message_counts_too() -> None:
    body = json.loads(completion(CODE))
    body["choices"][0]["message"]["error"] = {"code": 503, "message": "no"}
    with FaultServer(lambda number: Fault("", body=json.dumps(body))) as server:
        model = OpenAIChat("tiny", ModelOptions(base_url=server.url, max_retries=0))
        with pytest.raises(ModelError, match="reports an error: no"):
            model.generate(PROMPT)


def test_a_ring_of_causes_has_an_end() -> None:
    first, second = ValueError("a"), ValueError("b")
    first.__cause__, second.__cause__ = second, first
    assert refused_reply(first) is None


@pytest.mark.parametrize("error", ["null", "{}", '""'])
def test_an_error_that_says_nothing_is_none(error: str) -> None:
    body = f'{completion(CODE)[:-1]}, "error": {error}}}'
    with FaultServer(lambda number: Fault("", body=body)) as server:
        assert OpenAIChat("tiny", ModelOptions(base_url=server.url)).generate(PROMPT).text == CODE


def test_a_server_that_gives_no_reason_is_taken_at_its_word() -> None:
    body = completion(CODE, finish_reason=None)
    with FaultServer(lambda number: Fault("", body=body)) as server:
        answer = OpenAIChat("tiny", ModelOptions(base_url=server.url)).generate(PROMPT)
    assert (answer.text, answer.finish_reason) == (CODE, "stop")


def test_what_is_no_answer_is_never_kept(tmp_path: Path) -> None:
    """The same question again reaches the endpoint each time."""
    faults = [fault for fault in LASTING if fault.status == 200]
    with (
        closing(ResponseCache(tmp_path / "r.sqlite")) as cache,
        FaultServer(lambda number: faults[number]) as server,
    ):
        kept = CachedModel(
            OpenAIChat("tiny", ModelOptions(base_url=server.url, max_retries=0)), cache
        )
        for number in range(len(faults)):
            with pytest.raises(ModelError):
                kept.generate(PROMPT)
            assert server.requests == number + 1
        assert cache.counts() == {}


def test_thoughts_that_were_kept_as_an_answer_once_are_asked_again(tmp_path: Path) -> None:
    with closing(ResponseCache(tmp_path / "r.sqlite")) as cache:
        cache.put(b"key", "m", Completion(text="<think>Well.</think>"))
        assert cache.get(b"key") is None
        cache.put(b"key", "m", Completion(text=CODE))
        assert cache.get(b"key") == Completion(text=CODE, cached=True)
