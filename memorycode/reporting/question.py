"""One question of a run for people. Model output is hostile: printed as text, never markup."""

from __future__ import annotations

import sys

from memorycode.reporting.console import printable
from memorycode.results.found_question import FoundQuestion


def print_question(found: FoundQuestion) -> None:
    """The prompt, the answer, and each rule with its verdicts."""
    record = found.record
    lines = [f"Question  {record.id}", f"Outcome   {record.outcome} {record.error}".rstrip()]
    lines += [f"Context   {record.context_tokens} tokens, {record.context or 'none'}", ""]
    lines += ["── prompt ──", found.prompt, "", "── answer ──", record.answer, "", "── rules ──"]
    for rule in found.rules:
        verdicts = ", ".join(f"{scorer} {rule[scorer]}" for scorer in found.answer.verdicts)
        lines.append(f"{rule['object']}: {rule['check']}  →  {verdicts or 'not judged'}")
    sys.stdout.write(printable("\n".join(lines)) + "\n")
