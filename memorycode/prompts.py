"""Every prompt text, as a pack that users can replace (`--prompts FOLDER`).

A pack is a folder with one ``NAME.txt`` per text; texts that a folder lacks are taken from the
default pack. Variables stand in braces: ``{mentor}``. A text that names an unknown variable, or
leaves out one that it must carry, is refused when the pack is loaded.
"""

from __future__ import annotations

import hashlib
import json
import string
from pathlib import Path

from memorycode.errors import PromptError, Unreadable
from memorycode.frozen import Frozen
from memorycode.text_files import read_text

DEFAULT_TEXTS: dict[str, str] = {
    "opening": (
        "You are {mentee}, a software developer at {company}. {mentor} is your mentor and has been "
        "telling you how code is written here. This is what you remember of your conversations, "
        "the oldest first.\n\n"
    ),
    "session": "Session {number}\n{text}\n\n",
    "passage": "{text}\n\n",
    "nothing": "(You remember nothing.)\n\n",
    "question": (
        "Now {mentor} asks you for this piece of Python: {query}.\n\n"
        "Write it in such a way that it keeps to every coding guideline of {mentor}'s that is in "
        "force today: where a guideline was changed later on, only its latest wording counts. "
        "Reply with a single Python code block, without any text around it."
    ),
    "summarise": (
        "You keep the notes of {mentee}, whose mentor is {mentor}. Here are the notes so far:\n\n"
        "{summary}\n\nAnd here is the newest conversation:\n\n{session}\n\n"
        "Rewrite the notes so that they cover both. Keep each guideline for writing code word for "
        "word, with names, prefixes and suffixes as they were given; where the newest conversation "
        "changes a guideline, keep the new wording alone. Leave out all that does not help in "
        "writing code. Use no more than {limit} words. Reply with the notes only."
    ),
    "rewrite_state": (
        "{mentee} works for {mentor} and can keep one page between two conversations, nothing "
        "else. The page as it is now:\n\n{state}\n\nThe conversation that just ended:\n\n{session}"
        "\n\nWrite the page anew; what you do not write down is lost. It has three sections:\n"
        "IN FORCE: each guideline of {mentor}'s for writing code that holds now, a line each, with "
        "every name, prefix and suffix spelled as {mentor} spelled it.\n"
        "REPLACED: what no longer holds, in a few words, so that it is not taken up again.\n"
        "OPEN: what {mentor} announced or left unclear.\n"
        "Use no more than {limit} words; where they do not suffice, shorten from the last section "
        "up. Reply with the page only."
    ),
    "update_ledger": (
        "You keep a ledger of the guidelines for writing code that {mentor} gives {mentee}. Each "
        "entry has its number in brackets. The ledger now:\n\n{ledger}\n\nA new conversation:\n\n"
        "{session}\n\nSay what this conversation changes in the ledger. Only what {mentor} lays "
        "down about code counts: no other advice, no news, nothing that {mentee} proposes. A "
        "guideline that changes one in the ledger updates that entry; one that {mentor} takes back "
        "is withdrawn; one on a matter that no entry is about is added. Word each so that it can "
        "be followed without the conversation, one guideline per entry, names and prefixes "
        "exactly as given.\n\n"
        "Reply with JSON only, in this form; the list is empty where nothing changes:\n"
        '{{"operations": [{{"op": "add", "id": 0, "text": "…"}}, {{"op": "update", "id": 3, '
        '"text": "…"}}, {{"op": "withdraw", "id": 5, "text": ""}}]}}'
    ),
    "next_search": (
        "{mentee} is about to write this piece of Python for {mentor}: {query}. All guidelines of "
        "{mentor}'s that are in force have to be kept to, and they are somewhere in the records of "
        "their conversations, which can be searched.\n\nSearched for so far:\n{queries}\n\n"
        "Found so far:\n\n{found}\n\nWhich words should be searched for next, to find guidelines, "
        "or changes of them, that are still missing? They may be about anything that the code will "
        "have: how things in it are named, what it has to contain. Reply with JSON only: "
        '{{"enough": false, "query": "…"}} to search on, or {{"enough": true, "query": ""}} if '
        "nothing is missing."
    ),
    "write_query": (
        "You are {mentee}. Your mentor {mentor} has told you in many conversations how code is to "
        "be written. You are asked for this piece of Python: {query}.\n\n"
        "Before you write it, you search those conversations for every guideline that the code "
        "must keep to. Reply with the search query only, on one line."
    ),
    "render_session": (
        "Write a conversation between two people at {company}. {mentor} is the mentor, an "
        "experienced developer; {mentee} is new and is being shown how things are done.\n\n"
        "{mentor_persona}\n{mentee_persona}\n\n"
        "It is their meeting number {number}. They have to talk about all of this, in an order and "
        "in words that come naturally:\n{matters}\n\n"
        "A coding guideline comes from {mentor}, who says it as binding, for all the code that "
        "{mentee} writes from then on, with every prefix, suffix or name in single quotes exactly "
        "as it stands above. Neither of them gives an example of it or writes code, and neither "
        "mentions any other coding guideline. Do not speak of a list or of these instructions.\n\n"
        "Write about {words} words. Each turn is one paragraph and begins with the name of its "
        'speaker and a colon, as in "{mentor}: " and "{mentee}: "; leave a blank line between '
        "turns. Reply with the conversation only."
    ),
    "render_rule": "a new coding guideline: {rule}",
    "render_change": (
        "a coding guideline that changes today. Until now it was: {old}. From now on it is: {rule}"
    ),
    "render_topic_first": "something that has nothing to do with code: {topic}",
    "render_topic_again": (
        "something that they have talked about before and that has nothing to do with code, with "
        "some news: {topic}"
    ),
    "render_habit_first": "a habit of the house, which is not about writing code: {topic}",
    "render_habit_again": (
        "a habit of the house that is not about writing code and is now another than before: "
        "{topic}"
    ),
}

_SPEAKERS = frozenset({"mentor", "mentee", "company"})

VARIABLES: dict[str, frozenset[str]] = {
    "opening": _SPEAKERS,
    "session": frozenset({"number", "text"}),
    "passage": frozenset({"text"}),
    "nothing": _SPEAKERS,
    "question": _SPEAKERS | {"query"},
    "summarise": _SPEAKERS | {"summary", "session", "limit"},
    "rewrite_state": _SPEAKERS | {"state", "session", "limit"},
    "update_ledger": _SPEAKERS | {"ledger", "session"},
    "next_search": _SPEAKERS | {"query", "queries", "found"},
    "write_query": _SPEAKERS | {"query"},
    "render_session": _SPEAKERS
    | {"mentor_persona", "mentee_persona", "number", "words", "matters"},
    "render_rule": frozenset({"rule"}),
    "render_change": frozenset({"rule", "old"}),
    **dict.fromkeys(
        ("render_topic_first", "render_topic_again", "render_habit_first", "render_habit_again"),
        frozenset({"topic"}),
    ),
}
"""The variables each text may name. `number` counts sessions from 1."""

REQUIRED: dict[str, frozenset[str]] = {
    "session": frozenset({"text"}),
    "passage": frozenset({"text"}),
    "question": frozenset({"query"}),
    "summarise": frozenset({"summary", "session"}),
    "rewrite_state": frozenset({"state", "session"}),
    "update_ledger": frozenset({"ledger", "session"}),
    "next_search": frozenset({"query", "found"}),
    "write_query": frozenset({"query"}),
    "render_session": frozenset({"mentor", "mentee", "matters"}),
    "render_rule": frozenset({"rule"}),
    "render_change": frozenset({"rule"}),
}


class PromptPack(Frozen):
    """The texts a run uses. `name` and `hash` stand in the manifest and under every table."""

    name: str
    texts: dict[str, str]

    @property
    def hash(self) -> str:
        """The first 12 hexadecimal digits of the SHA-256 over all texts."""
        return hashlib.sha256(json.dumps(self.texts, sort_keys=True).encode()).hexdigest()[:12]

    def render(self, name: str, /, **variables: object) -> str:
        """Fill in one text. Raises `PromptError` where a variable is missing."""
        try:
            return self.texts[name].format_map(variables)
        except KeyError as missing:
            raise PromptError(f"{self.name}: {name}: no value for {missing}") from None

    def passage(self, text: str, session: int | None) -> str:
        """A recalled text as it stands in the prompt; `session` (from 0) where it has one."""
        if session is None:
            return self.render("passage", text=text)
        return self.render("session", number=session + 1, text=text)


DEFAULT_PACK = PromptPack(name="default", texts=DEFAULT_TEXTS)


def load_pack(folder: Path | str) -> PromptPack:
    """The default pack with the texts of `folder` in place of its own."""
    path = Path(folder)
    if not path.is_dir():
        raise PromptError(f"{path}: no such folder; a prompt pack is a folder of NAME.txt files")
    own = {file.stem: file for file in sorted(path.glob("*.txt"))}
    if unknown := own.keys() - DEFAULT_TEXTS.keys():
        known = ", ".join(f"{name}.txt" for name in DEFAULT_TEXTS)
        raise PromptError(f"{path}: unknown text {sorted(unknown)[0]}.txt; known are {known}")
    if not own:
        raise PromptError(f"{path}: no NAME.txt in it; known are {', '.join(DEFAULT_TEXTS)}")
    texts = {name: _read(file) for name, file in own.items()}
    for name, text in texts.items():
        check_text(name, text, where=str(own[name]))
    return PromptPack(name=path.name, texts=DEFAULT_TEXTS | texts)


def _read(file: Path) -> str:
    try:
        return read_text(file).replace("\r\n", "\n")
    except Unreadable as error:
        raise PromptError(f"{file}: {error}") from error


def check_text(name: str, text: str, *, where: str) -> None:
    """Raise `PromptError` unless the text names all it must and nothing unknown."""
    try:
        parts = [part for part in string.Formatter().parse(text) if part[1] is not None]
    except ValueError as error:
        raise PromptError(f"{where}: {error}; a literal brace is written twice") from None
    for _, field, form, conversion in parts:
        if form or conversion:
            raise PromptError(
                f"{where}: {{{field}}} stands alone in its braces, without ':' or '!'"
            )
    named = {str(field) for _, field, _, _ in parts}
    allowed = VARIABLES[name]
    for variable in sorted(named - allowed):
        raise PromptError(
            f"{where}: unknown variable {{{variable}}}; known are {', '.join(sorted(allowed))}"
        )
    for variable in sorted(REQUIRED.get(name, frozenset()) - named):
        raise PromptError(f"{where}: the variable {{{variable}}} must stand in this text")
