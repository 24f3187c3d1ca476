"""The card of a data set for the Hugging Face Hub: a README.md with YAML front matter."""

from __future__ import annotations

import json

from memorycode.datasets.rows import COUNT_COLUMNS, TEXT_COLUMNS
from memorycode.frozen import Frozen

SPLIT = "test"

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (10**6, "100K<n<1M"))
_MEANINGS = {
    "id": "number of the dialogue",
    "n_sessions": "number of sessions",
    "n_sessions_with_instructions": "sessions that carry at least one instruction",
    "n_instructions": "instructions told, updates included",
    "n_instruction_insertions": "instructions told as new",
    "n_instruction_updates": "instructions told as replacing an earlier version",
    "n_filler_insertions": "fillers and filler instructions brought up as new",
    "n_filler_updates": "fillers and filler instructions brought up again",
    "instruction_ids": "JSON list: per session its `[family, version]` pairs, or `[-1]`",
    "filler_ids": "JSON list: per session the number of its filler, or -1",
    "sessions": "JSON list: per session its text, topics, checks and evaluation queries",
    "context": "JSON object: names of mentor, mentee and company, and the two personas",
}


class CardFacts(Frozen):
    """What a card says that the dialogues do not.

    `made` tells how they were made, in sentences or as the command; `license` is an identifier of
    the Hub's list.
    """

    title: str = "MemoryCode dialogues"
    made: str = "See the manifest of the run that generated them."
    license: str = "apache-2.0"


class TableSize(Frozen):
    """Rows, their bytes in memory, and the bytes of the file that holds them."""

    rows: int
    bytes_in_memory: int
    bytes_of_file: int


def data_card(facts: CardFacts, size: TableSize) -> str:
    """The text of README.md."""
    return "\n".join((*_front_matter(facts, size), "", *_body(facts, size), ""))


def _front_matter(facts: CardFacts, size: TableSize) -> list[str]:
    kinds = dict.fromkeys(("id", *COUNT_COLUMNS), "int64") | dict.fromkeys(TEXT_COLUMNS, "string")
    features = [
        line for name, kind in kinds.items() for line in (f"  - name: {name}", f"    dtype: {kind}")
    ]
    bound = next((word for bound, word in _SIZES if size.rows < bound), "n>1M")
    return [
        "---",
        f"license: {json.dumps(facts.license)}",
        "language:",
        "- en",
        f"pretty_name: {json.dumps(facts.title)}",
        "tags:",
        "- code",
        "- memory",
        "- multi-session",
        "- synthetic",
        "size_categories:",
        f"- {bound}",
        "dataset_info:",
        "  features:",
        *features,
        "  splits:",
        f"  - name: {SPLIT}",
        f"    num_bytes: {size.bytes_in_memory}",
        f"    num_examples: {size.rows}",
        f"  download_size: {size.bytes_of_file}",
        f"  dataset_size: {size.bytes_in_memory}",
        "configs:",
        "- config_name: default",
        "  data_files:",
        f"  - split: {SPLIT}",
        f"    path: data/{SPLIT}-*",
        "---",
    ]


def _body(facts: CardFacts, size: TableSize) -> list[str]:
    noun = "dialogue" if size.rows == 1 else "dialogues"
    return [
        f"# {facts.title}",
        "",
        f"{size.rows:,} {noun} in the columns of the MemoryCode benchmark (arXiv 2502.13791). In "
        "each, a mentor tells a mentee over one or many sessions how the company wants its Python "
        "written, and replaces some of those rules later; most of the talk is about other things. "
        "A model that is asked for code afterwards should follow the rules that hold by then.",
        "",
        "## Columns",
        "",
        "| column | meaning |",
        "|---|---|",
        *(f"| `{name}` | {meaning} |" for name, meaning in _MEANINGS.items()),
        "",
        "## How it was made",
        "",
        facts.made,
        "",
        "## Reading it",
        "",
        "```python",
        "from memorycode import load_dataset",
        "",
        'dialogues = load_dataset("this/folder")',
        "```",
        "",
        "`datasets.load_dataset` reads the folder as well.",
        "",
        "## Licence",
        "",
        facts.license,
    ]
