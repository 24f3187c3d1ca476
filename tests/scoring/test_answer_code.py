"""The code that the strict scorer takes from an answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycode.scoring.answer_code import read_code
from memorycode.scoring.fences import MAX_BLOCKS, blocks_of
from memorycode.scoring.reasoning import without_reasoning


def code_of(answer: str) -> str | None:
    code = read_code(answer)
    return None if code is None else code.text


@pytest.mark.parametrize(
    "answer",
    [
        "```python\nx = 1\n```",
        "```Python\nx = 1\n```",
        "```py\nx = 1\n```",
        "``` python3\nx = 1\n```",
        "```python3.11\nx = 1\n```",
        "```{.python .numberLines}\nx = 1\n```",
        '```python title="x.py"\nx = 1\n```',
        "```lasso.py\nx = 1\n```",
        "```\nx = 1\n```",
        "````python\nx = 1\n````",
        "~~~python\nx = 1\n~~~",
        "~~~~\nx = 1\n~~~~",
        "```python\r\nx = 1\r\n```",
        "```python\rx = 1\r```",
        "  ```python\n  x = 1\n  ```",
        "1. ```python\n   x = 1\n   ```",
        "\ufeff```python\nx = 1\n```",
        "```python\nx = 1\n",
        "```python\nx = 1\n`````",
        "Here it is: ```python\nx = 1\n``` as you wished.\n```",
        "Text.\n\n```python\nx = 1\n```\nMore text.",
        "```python\n    x = 1\n```",
        "```python\n>>> x = 1\n```",
        "```pycon\n>>> x = 1\n1\n```",
        "```bash\npip install a\n```\n```python\nx = 1\n```\n```json\n{}\n```",
        "```python\nx = 1\n```\nOutput:\n```\nResult: 5\n```",
        "```text\nResult: 5\n```\n```python\nx = 1\n```",
        "```python\nx = 1\n```\n```python\nx = (\n```",
        "```python\nx = (\n```\n```python\nx = 1\n```",
        "<think>\n```python\ny = 2\n```\n</think>\n```python\nx = 1\n```",
        "I think so.</think>```python\nx = 1\n```",
        "````markdown\n```python\nx = 1\n```\n````",
        "```python\nx = (\n```python\nx = 1\n```",
        "<THINK>a</THINK>x = 1",
        "x = 1",
        "\ufeffx = 1",
        "   x = 1",
        "```x = 1```",
        "```python x = 1```",
        "x = 1\n```",
    ],
)  # fmt: skip
def test_wrappings_of_one_statement(answer: str) -> None:
    code = code_of(answer)
    assert code is not None
    assert code.strip() == "x = 1"


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("```python\nx = 1\n```\nand\n```py\ny = 2\n```", "x = 1\ny = 2\n"),
        ("```python\nx = 1\n```\nand\n```\nimport y\n```", "x = 1\nimport y\n"),
        ("```\nx = 1\n```\n```\ny = 2\n```", "x = 1\ny = 2\n"),
        ("```\ndef f(): 0\n```\nprints\n```\nResult: 5\n```", "def f(): 0\n"),
        ("```python\nx = 1\n```\n```python\n(\n```\n```python\ny = 2```", "x = 1\ny = 2\n"),
        ("def f():\n    return 1\n```\nIt returns 1.", "def f():\n    return 1\n"),
        ("```python\n```", ""),
        ("", ""),
    ],
)
def test_several_blocks_and_stray_fences(answer: str, code: str) -> None:
    assert code_of(answer) == code


@pytest.mark.parametrize(
    "code",
    [
        'def f():\n    """\n    ```python\n    f()\n    ```\n    """\n',
        'def f():\n    """Runs.\n\n        ```\n        f()\n        ```\n    """\n    return 1\n',
        "s = '<think>'\nt = s.split('</think>')\n",
        "# ~~~\nx = '```'\n",
    ],
)
def test_fences_and_tags_in_code_are_code(code: str) -> None:
    assert code_of(f"```python\n{code}```") == code
    assert code_of(code) == code


@pytest.mark.parametrize(
    "answer",
    [
        "I cannot help with that.",
        "def f(:",
        "```python\ndef f(:\n```",
        "Sure\n```python\ndef f(:\n```",
        "```java\nint x = 1;\n```",
        "x = 1\0",
    ],
)
def test_what_does_not_parse(answer: str) -> None:
    assert code_of(answer) is None


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("<think>a</think>b", "b"),
        ("a\n<thinking>b</thinking>c", "a\nc"),
        ("a\n  <reasoning>b", "a\n  "),
        ("a</think>b", "b"),
        ("a</think>b</think>c", "c"),
        ("<think>a<think>b</think>c</think>d", "d"),
        ("<think></think><think>a</think>b", "<think>a</think>b"),
        ("say <think>a</think>", "say <think>a</think>"),
        ("a</think>'</think>'", "'</think>'"),
        ("```\n<think>\n```", "```\n<think>\n```"),
        ("say <think>a\nb</think>c", "say c"),
        ("say\n'<think>' a</think>b <think>\nc</think>d", "say\n'<think>' a</think>b d"),
        ("a <think>b <think>c</think>d\n<think>e</think>", "a <think>b <think>c</think>d\n"),
        ("", ""),
    ],
)
def test_reasoning_is_left_out(text: str, kept: str) -> None:
    assert without_reasoning(text) == kept


def test_many_tags_before_a_long_line_are_read_at_once() -> None:
    """Where each tag were followed to the end of the line, this would take minutes."""
    text = "a" + "<think>" * 9_000 + "b" * 30_000_000 + "</think>"
    assert without_reasoning(text) == text


PARTS = st.sampled_from(
    [
        "```",
        "~~~",
        "`",
        "python",
        "\n",
        "    ",
        "x = 1",
        "def f(): 0",
        ">>> ",
        "<think>",
        "</think>",
        "\r",
    ]
)


@given(st.lists(PARTS, max_size=14))
def test_whatever_the_wrapping_nothing_breaks(parts: list[str]) -> None:
    answer = "".join(parts)
    blocks = blocks_of(answer)
    assert [block.fence for block in blocks] == sorted(block.fence for block in blocks)
    code = read_code(answer)
    assert code is None or compile(code.tree, "", "exec") is not None


@pytest.mark.parametrize(
    "unit",
    [
        "```",
        "```\n",
        "```python\nx = 1\n```\n",
        "` ",
        "~~~ ",
        "``` a\n",
        "<think>",
        "</think>",
        "```a``` ",
    ],
)
@pytest.mark.parametrize("size", [10_000, 10_000_000])
def test_pathological_fences_are_read_in_linear_time(unit: str, size: int) -> None:
    text = unit * (size // len(unit))
    read_code(text)
    assert len(blocks_of(text)) <= MAX_BLOCKS + 1


LONG = "I wonder. " * 3_000


@pytest.mark.parametrize(
    "answer",
    [
        f"<think>{LONG}</think>\n```python\nx = 1\n```\nor\n```python\nx = = 2\n```",
        f"<think>{LONG}</think>\nfrom now on:\n```python\nx = 1\n```",
        f"{LONG}\nfrom now on:\n```python\nx = 1\n```",
        f"Sure. <think>{LONG}```python\ny = 1\n```</think>\n```python\nx = 1\n```",
    ],
)
def test_long_thought_hides_no_code(answer: str) -> None:
    code = read_code(answer)
    assert code is not None
    assert code.text.strip() == "x = 1"


def test_a_tag_within_a_line_opens_reasoning_only_if_it_is_closed() -> None:
    assert read_code("Use <think> tags.\n```python\nx = 1\n```") is not None
    assert read_code("Use `<think>` and `</think>`.\n```python\nx = 1\n```") is not None


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("```python\nx = 1\n    ```\nDone.", "x = 1\n"),
        ("```python\nx = 1\n        ```\n```python\ny = 2\n```", "x = 1\ny = 2\n"),
        ("```def f():\n    return 1\n```", "def f():\n    return 1\n"),
        ("```python import os\n```", "import os\n"),
        ("```python def f(): return 1", "def f(): return 1"),
        ("> ```python\n> x = 1\n> ```\nDone.", "x = 1\n"),
        ("x = 1\n<|im_end|>", "x = 1\n"),
        ("```\nx = 1\n```</s>\n<|endoftext|>", "x = 1\n"),
        ("```python\nx = '\ud800'\n```", "x = '\ufffd'\n"),
    ],
)
def test_odd_fences_and_ends_do_not_hide_the_code(answer: str, code: str) -> None:
    assert code_of(answer) == code


@pytest.mark.parametrize(
    "answer",
    [
        "```from the file above\nx = 1\n```",  # words, though they begin like an import
        "```class notes\nx = 1\n```",
        "> x = 1",  # quoted, and no fence
        ">>> x = 1\n",
    ],
)
def test_words_behind_a_fence_and_marks_without_one_are_no_code(answer: str) -> None:
    assert code_of(answer) in ("x = 1\n", None)


def test_many_deep_fences_in_a_docstring_are_read_once() -> None:
    """Each asks whether it stands in the string; together they read the text once."""
    inside = "        ```\n" * 900
    code = f'def f():\n    """\n{inside}    """\n'
    assert code_of(f"```python\n{code}```") == code
