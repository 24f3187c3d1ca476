"""The release's ``topics.json`` as a seed pool.

It has rules, topics and people, but nothing that is said about them: fillers and personas come
without lines of their own, and phrases have to be taken from elsewhere.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from memorycode.datasets.json_fields import JsonFields, describe, read_json
from memorycode.datasets.rule_fields import read_rule
from memorycode.errors import DatasetError, SeedError
from memorycode.rules import Rule

TOPICS = "topics.json"

_MODULE = re.compile(r"from the '([^']+)' (?:module|package)")
_TABLES = {
    "instruction": "instructions",
    "filler": "fillers",
    "filler_instruction": "fillers_instruction",
}
_FIELDS = {".number": ".id", ".queries[0]": ".eval_query", ".topic": ".text"}

_HABIT = "one of our habits"
"""How a filler instruction, of which the file has only the wording, is named in a sentence."""


def read_topics(file: Path) -> dict[str, Any]:
    """All parts of a pool but its phrases, to be validated. Raises `SeedError`."""
    try:
        top = JsonFields(read_json(file), file=file)
        return {
            "instructions": [_instruction(fields) for fields in _objects(top, "instructions")],
            "fillers": [_filler(fields) for fields in _objects(top, "fillers")],
            "filler_instructions": [_habit(f) for f in _objects(top, "fillers_instruction")],
            "people": _people(top),
        }
    except DatasetError as error:
        raise SeedError(error.problem, file=file, key=error.where) from None


def topics_key(key: str) -> str:
    """Where in the file stands what a pool of TOML files has at `key`."""
    table, bracket, rest = key.partition("[")
    versions = ".regex[" if table == "instruction" else ".text["
    for ours, theirs in {**_FIELDS, ".versions[": versions}.items():
        rest = rest.replace(ours, theirs)
    return f"{_TABLES.get(table, table)}{bracket}{rest}"


def _objects(fields: JsonFields, key: str) -> list[JsonFields]:
    return [
        JsonFields(item, file=fields.file, where=f"{fields.at(key)}[{index}]")
        for index, item in enumerate(fields.get(key, list))
    ]


def _instruction(fields: JsonFields) -> dict[str, Any]:
    texts = fields.text_list("text")
    pairs = fields.get("regex", list)
    fields.same_length("regex", len(pairs), "text", len(texts))
    if not pairs:
        fields.fail("regex", "empty; want one [object, check] per version")
    rules: list[Rule] = []
    for index, pair in enumerate(pairs):
        place = f"regex[{index}]"
        if not (isinstance(pair, list) and len(pair) == 2):
            fields.fail(place, f"found {describe(pair)}, want [object, check]")
        rule = read_rule(fields, pair[0], pair[1], place)
        if rule.family != (rules or [rule])[0].family:
            fields.fail(place, "another family than regex[0]; a family has one object and kind")
        rules.append(rule)
    module = _MODULE.search(texts[0])
    constraints = [rule.constraint for rule in rules]
    return {
        "number": fields.get("id", int),
        "object": rules[0].object,
        "kind": constraints[0].kind,
        "module": module[1] if module else "",
        "versions": [{"value": c.value, "positive": c.positive} for c in constraints],
        "texts": texts,
        "queries": [fields.get("eval_query", str)],
    }


def _filler(fields: JsonFields) -> dict[str, Any]:
    topic = fields.get("text", str)
    return {"number": fields.get("id", int), "topic": topic, "about": _inside(topic)}


def _habit(fields: JsonFields) -> dict[str, Any]:
    versions = [
        {"text": text, "say": f"Please {_inside(text)}."} for text in fields.text_list("text")
    ]
    return {"number": fields.get("id", int), "about": _HABIT, "versions": versions}


def _inside(text: str) -> str:
    """The text as it reads within a sentence; what begins with an abbreviation stays as it is."""
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def _people(top: JsonFields) -> dict[str, Any]:
    contexts = _objects(top, "contexts")
    names = [context.get(role, str) for context in contexts for role in ("mentor", "mentee")]
    personas = JsonFields(top.get("personas", dict), file=top.file, where="personas")
    return {
        "names": list(dict.fromkeys(names)),
        "companies": [context.get("company", str) for context in contexts],
        "mentor": _personas(personas, "mentor"),
        "mentee": _personas(personas, "mentee"),
    }


def _personas(fields: JsonFields, role: str) -> list[dict[str, str]]:
    return [
        {"text": text.replace("{", "{{").replace("}", "}}").replace(f"[{role}]", "{name}")}
        for text in fields.text_list(role)
    ]
