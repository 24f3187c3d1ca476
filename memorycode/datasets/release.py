"""The release's JSON layout: a folder of ``dialogue_N.json`` (Cohere-Labs-Community/MemoryCode).

Reading and writing again loses nothing. History rules and questions are stored in the last session
only; everywhere else they follow from the instructions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from memorycode.datasets.foreign_layouts import LAYOUTS, refuse_foreign_layout
from memorycode.datasets.json_fields import JsonFields, describe, read_json
from memorycode.datasets.rule_fields import read_rule
from memorycode.dialogue import Context, Dialogue, Instruction, Session
from memorycode.errors import DatasetError
from memorycode.rules import Rule
from memorycode.whole_file import refuse_foreign, remove_parts, written_whole

_FILE_NAME = re.compile(r"dialogue_([0-9]+)\.json(\.gz)?")
_CONTEXT_FIELDS = ("mentor", "mentee", "company", "mentor_persona", "mentee_persona")
_SESSION_FIELDS = (
    "type",
    "topic",
    "session_regex",
    "history_regex",
    "session_eval_query",
    "history_eval_query",
    "session_length",
    "text",
)
_NO_INSTRUCTION = [-1]


# ── reading ───────────────────────────────────────────────────────────────────────────────────


def load_release(path: Path | str, *, limit: int | None = None) -> tuple[Dialogue, ...]:
    """The dialogues of a folder of ``dialogue_N.json``, or of a clone's root.

    In order of their numbers; the first `limit` of them. Raises `DatasetError` at the first file
    that is not in the layout.
    """
    files = _dialogue_files(Path(path))
    return tuple(
        parse_dialogue(read_json(file), file=file, number=number) for number, file in files[:limit]
    )


def number_in_name(file: Path) -> int:
    """The number of a ``dialogue_N.json``, and 1 for a file of another name."""
    match = _FILE_NAME.fullmatch(file.name)
    return int(match[1]) if match else 1


def holds_release(folder: Path) -> bool:
    """Whether `folder`, or a folder named dataset in it, has a ``dialogue_N.json``."""
    return bool(_numbered_files(folder))


def _dialogue_files(path: Path) -> list[tuple[int, Path]]:
    files = _numbered_files(path)
    if not files:
        problem = "no dialogue_N.json here, nor in a folder named dataset; no .parquet or .jsonl"
        raise DatasetError(f"{problem} ({LAYOUTS})", file=path)
    for (number, first), (other, second) in pairwise(files):
        if number == other:
            raise DatasetError(f"dialogue {number} stands in {first.name} too", file=second)
    return files


def _numbered_files(path: Path) -> list[tuple[int, Path]]:
    for folder in (path, path / "dataset"):
        if folder.is_dir():
            named = ((_FILE_NAME.fullmatch(file.name), file) for file in folder.iterdir())
            files = sorted((int(match[1]), file) for match, file in named if match)
            if files:
                return files
    return []


def parse_dialogue(data: Any, *, file: Path, number: int) -> Dialogue:
    """One decoded ``dialogue_N.json``; `file` is named in errors."""
    top = JsonFields(data, file=file)
    refuse_foreign_layout(top.data, file)
    top.only("context", "instructions", "fillers", "sessions")
    context = JsonFields(top.get("context", dict), file=file, where="context")
    context.only(*_CONTEXT_FIELDS)
    sessions = top.get("sessions", list)
    instructions, fillers = top.get("instructions", list), top.get("fillers", list)
    top.same_length("instructions", len(instructions), "sessions", len(sessions))
    top.same_length("fillers", len(fillers), "sessions", len(sessions))
    if not sessions:
        top.fail("sessions", "empty; a dialogue has at least one session")
    parsed = []
    for index, session in enumerate(sessions):
        fields = JsonFields(session, file=file, where=f"sessions[{index}]")
        parsed.append(_session(fields, index, instructions[index], _filler(top, fillers, index)))
        if index < len(sessions) - 1:
            _no_history(fields)
    last = JsonFields(sessions[-1], file=file, where=f"sessions[{len(sessions) - 1}]")
    return Dialogue(
        number=number,
        context=Context(**{name: context.get(name, str) for name in _CONTEXT_FIELDS}),
        sessions=tuple(parsed),
        history_rules=tuple(_rules(last, "history_regex")),
        history_queries=tuple(last.text_list("history_eval_query")),
    )


def _filler(top: JsonFields, fillers: list[Any], index: int) -> int:
    value = fillers[index]
    if not isinstance(value, int) or isinstance(value, bool):
        top.fail(f"fillers[{index}]", f"found {describe(value)}, want a filler's number or -1")
    return value


def _session(fields: JsonFields, index: int, told: Any, filler: int) -> Session:
    fields.only(*_SESSION_FIELDS)
    types, topics = fields.text_list("type"), fields.text_list("topic")
    fields.same_length("topic", len(topics), "type", len(types))
    return Session(
        index=index,
        text=fields.get("text", str),
        instructions=tuple(_instructions(fields, index, told, types, topics)),
        types=tuple(types),
        topics=tuple(topics),
        filler=filler,
        length=fields.get("session_length", str),
    )


def _instructions(
    fields: JsonFields, index: int, told: Any, types: list[str], topics: list[str]
) -> Iterable[Instruction]:
    place = f"instructions[{index}]"
    numbers = [] if told == _NO_INSTRUCTION else told
    if not isinstance(numbers, list):
        raise DatasetError(f"found {describe(told)}, want a list", file=fields.file, where=place)
    rules = _rules(fields, "session_regex")
    queries = fields.text_list("session_eval_query")
    # ``filler-instruction-add`` is no instruction, though the word stands in its name.
    texts = [text for kind, text in zip(types, topics, strict=True) if kind[:11] == "instruction"]
    fields.same_length("session_regex", len(rules), place, len(numbers))
    fields.same_length("session_eval_query", len(queries), "session_regex", len(rules))
    fields.same_length("type (its instructions)", len(texts), "session_regex", len(rules))
    for position, pair in enumerate(numbers):
        family, version = _family_and_version(pair, fields, f"{place}[{position}]")
        yield Instruction(
            family=family,
            version=version,
            rule=rules[position],
            text=texts[position],
            eval_query=queries[position],
        )


def _family_and_version(pair: Any, fields: JsonFields, place: str) -> tuple[int, int]:
    if not (isinstance(pair, list) and len(pair) == 2 and all(type(n) is int for n in pair)):
        raise DatasetError(
            f"found {describe(pair)}, want [family, version] as two whole numbers",
            file=fields.file,
            where=place,
        )
    return pair[0], pair[1]


def _rules(fields: JsonFields, key: str) -> list[Rule]:
    rules = []
    for number, pair in enumerate(fields.get(key, list)):
        place = f"{key}[{number}]"
        if not (isinstance(pair, list) and len(pair) == 2):
            fields.fail(place, f"found {describe(pair)}, want [object, check]")
        rules.append(read_rule(fields, pair[0], pair[1], place))
    return rules


def _no_history(fields: JsonFields) -> None:
    for key in ("history_regex", "history_eval_query"):
        if fields.get(key, list):
            fields.fail(key, "filled before the last session; it follows from the instructions")


# ── writing ───────────────────────────────────────────────────────────────────────────────────


def write_dataset(dialogues: Iterable[Dialogue], folder: Path | str) -> None:
    """Write each dialogue as ``dialogue_N.json`` into `folder`, which is made if need be.

    Raises `UsageError` where a file of that name says something else, or cannot be written.
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    remove_parts(target)
    for dialogue in dialogues:
        content = json.dumps(dump_dialogue(dialogue), indent=2).encode()
        file = target / f"dialogue_{dialogue.number}.json"
        refuse_foreign(file, partial(_holds, content))
        with written_whole(file) as part:
            part.write_bytes(content)


def _holds(content: bytes, file: Path) -> bool:
    return file.read_bytes() == content


def dump_dialogue(dialogue: Dialogue) -> dict[str, Any]:
    """The JSON object of ``dialogue_N.json``, the inverse of `parse_dialogue`."""
    return {
        "context": {name: getattr(dialogue.context, name) for name in _CONTEXT_FIELDS},
        "instructions": [
            [[i.family, i.version] for i in session.instructions] or _NO_INSTRUCTION
            for session in dialogue.sessions
        ],
        "fillers": [session.filler for session in dialogue.sessions],
        "sessions": [_dump_session(dialogue, session) for session in dialogue.sessions],
    }


def _dump_session(dialogue: Dialogue, session: Session) -> dict[str, Any]:
    is_last = session.index == dialogue.last
    return {
        "type": list(session.types),
        "topic": list(session.topics),
        "session_regex": _dump_rules(session.rules),
        "history_regex": _dump_rules(dialogue.rules(session.index)) if is_last else [],
        "session_eval_query": list(session.eval_queries),
        "history_eval_query": list(dialogue.history_queries) if is_last else [],
        "session_length": session.length,
        "text": session.text,
    }


def _dump_rules(rules: Iterable[Rule]) -> list[list[Any]]:
    return [
        [rule.object, list(rule.check) if isinstance(rule.check, tuple) else rule.check]
        for rule in rules
    ]
