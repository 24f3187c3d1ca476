"""Content may be a text or a list of parts: text parts are the answer, thinking the reasoning."""

from __future__ import annotations

import pytest

from memorycode.errors import ModelError
from memorycode.model_options import ModelOptions
from memorycode.models.content import Content, read_content
from memorycode.models.openai_chat import OpenAIChat
from memorycode.protocols import Prompt
from tests.models.fault_server import Fault, FaultServer, completion

TEXT = {"type": "text", "text": "x = 1"}


@pytest.mark.parametrize(
    ("content", "read"),
    [
        (None, Content()),
        ("x = 1", Content("x = 1")),
        ([], Content()),
        ([TEXT], Content("x = 1")),
        (["x = ", "1"], Content("x = 1")),
        ([TEXT, {"type": "text", "text": "\ny = 2"}], Content("x = 1\ny = 2")),
        ([{"type": "output_text", "text": "x = 1"}], Content("x = 1")),
        ([{"type": "thinking", "thinking": "Well."}, TEXT], Content("x = 1", "Well.")),
        (
            [{"type": "thinking", "thinking": [{"type": "text", "text": "Well."}]}, TEXT],
            Content("x = 1", "Well."),
        ),
        ([{"type": "reasoning", "reasoning": "Well."}, TEXT], Content("x = 1", "Well.")),
        (
            [{"type": "reasoning", "summary": [{"type": "summary_text", "text": "Well."}]}, TEXT],
            Content("x = 1", "Well."),
        ),
        ([{"type": "redacted_thinking", "data": "…"}, TEXT], Content("x = 1")),
        ([{"type": "image_url", "image_url": {"url": "data:"}}, TEXT], Content("x = 1")),
        ([{"type": "refusal", "refusal": "No."}], Content(refusal="No.")),
        ([{"type": "text", "text": None}, {"type": ["text"]}, {}], Content()),
    ],
)
def test_content_is_read_by_its_parts(content: object, read: Content) -> None:
    assert read_content(content) == read


@pytest.mark.parametrize("content", [7, {"text": "x"}, [7], [None], [[TEXT]]])
def test_content_of_another_shape_is_refused(content: object) -> None:
    with pytest.raises(ValueError, match="want"):
        read_content(content)


@pytest.mark.parametrize(
    ("parts", "kind"),
    [
        ([{"type": "thinking", "thinking": "Well."}], "empty"),
        ([{"type": "text", "text": "<think>Well.</think>"}], "empty"),
        ([{"type": "refusal", "refusal": "No."}], "refused"),
        ([7], "bad_response"),
    ],
)
def test_parts_without_an_answer_fail_as_a_text_would(parts: list[object], kind: str) -> None:
    body = completion(parts)  # type: ignore[arg-type]
    with FaultServer(lambda number: Fault(kind, body=body)) as server:
        model = OpenAIChat("tiny", ModelOptions(base_url=server.url, max_retries=0))
        with pytest.raises(ModelError) as caught:
            model.generate(Prompt(("Write.",)))
    assert caught.value.kind == kind


def test_a_reply_in_parts_is_an_answer_with_its_reasoning() -> None:
    body = completion([{"type": "thinking", "thinking": "Well."}, TEXT])
    with FaultServer(lambda number: Fault("", body=body)) as server:
        answer = OpenAIChat("tiny", ModelOptions(base_url=server.url)).generate(Prompt(("Write.",)))
    assert (answer.text, answer.reasoning) == ("x = 1", "Well.")
