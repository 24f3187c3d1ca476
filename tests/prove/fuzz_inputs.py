"""Damaged and hostile files through the commands: a message and an exit status, never a traceback.

Run it as ``python -m tests.prove.fuzz_inputs --seconds 300 [--seed N] [--only PART]``. Good files
of every kind that the commands read are made once; then one of them is damaged (its bytes, its
JSON, or a sealed record whose checksum is made anew), a command reads it, and the file is put back.
It prints how many commands ended in which way, and each that did not end as it should: with a
traceback, with an exit status other than 0, 1 and 2, without a message, by a signal, or not in
time. Exits with 1 where there was one, or where a command never got to refuse anything.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import pkgutil
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import baselines
import memory_strategies
import memorycode
from memorycode.cli import main as run_command
from memorycode.running.lines import seal_content, unseal

LIMIT = 30
"""Seconds until a command counts as hung: a hundred times what the good files take."""

MOST_SAID = 200_000
"""Characters; a command that says more than that of so little repeats its input."""

VALUES: Sequence[Any] = (
    None, True, -1, 0, 2**63, 10**400, -0.5, 1e308, float("nan"), float("inf"), "", " ", "\0",
    "\ud800", "\ufeff", "x" * 100_000, "../../etc/passwd", "{mentor}", "%s%n", "\x1b[2J",
    "<script>",
    "(a+)+$", [], {}, [[]], [None], {"": None}, "2025-13-45", "nan", "1e999",
)  # fmt: skip

BYTES: Sequence[bytes] = (
    b"", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"[" * 100_000, b'{"a":' * 50_000, b"\xc3", b"\r",
    b"\n\n", b"NaN", b"\xed\xa0\x80", b'"', b"}", b"\x1f\x8b\x08", b"9" * 5_000,
    b"SQLite format 3\0",
)  # fmt: skip


class Target(NamedTuple):
    """A file to damage, and the commands that read it."""

    part: str
    file: str
    commands: Sequence[Sequence[str]]


class Ending(NamedTuple):
    """How a command ended: by what status, what it said, and after how many seconds."""

    status: int
    said: str
    seconds: float

    @property
    def wrong(self) -> str | None:
        """What a person would complain about."""
        if self.status < 0:
            return "hangs" if self.status == -signal.SIGALRM else f"ended by signal {-self.status}"
        if "Traceback (most recent call last)" in self.said:
            return "shows a traceback"
        if self.status not in (0, 1, 2):
            return f"ends with status {self.status}"
        if self.status and not self.said.strip():
            return "says nothing"
        if len(self.said) > MOST_SAID:
            return f"says {len(self.said):,} characters"
        return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", help="one part: data, outputs, records, settings or texts")
    chosen = parser.parse_args()
    _import_all()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        targets = [t for t in make_targets(Path(folder)) if chosen.only in (None, t.part)]
        return _fuzz(targets, random.Random(chosen.seed), chosen.seconds)


def _import_all() -> None:
    """What the commands import when they are called, once instead of in every child."""
    for package in (memorycode, memory_strategies, baselines):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                with contextlib.suppress(ImportError):  # an extra that is not installed
                    importlib.import_module(module.name)


def _fuzz(targets: Sequence[Target], rng: random.Random, seconds: float) -> int:
    endings: Counter[tuple[str, int]] = Counter()
    complaints: Counter[str] = Counter()
    begun = time.monotonic()
    while time.monotonic() - begun < seconds:
        target = rng.choice(targets)
        command = rng.choice(target.commands)
        how, damaged = damage(rng, Path(target.file).read_bytes())
        with replaced(Path(target.file), damaged):
            ending = run(command)
            endings[f"{target.part}: {command[0]}", ending.status] += 1
            if ending.wrong:
                last = ending.said.strip().splitlines()[-1:] or [""]
                line = f"{' '.join(command)}: {target.file} ({how}) {ending.wrong}: {last[0][:150]}"
                complaints[line] += 1
                if complaints[line] == 1:
                    kept = Path(tempfile.gettempdir()) / f"damaged-{len(complaints)}"
                    kept.write_bytes(damaged)
                    print(f"{line} [{kept}]", flush=True)
    return _report(targets, endings, complaints)


def _report(
    targets: Sequence[Target], endings: Counter[tuple[str, int]], complaints: Counter[str]
) -> int:
    print(f"{sum(endings.values()):,} damaged files, {sum(complaints.values())} complaints")
    never = 0
    for name in sorted({name for name, _ in endings}):
        by_status = {status: n for (of, status), n in sorted(endings.items()) if of == name}
        never += not (by_status.keys() - {0}) and sum(by_status.values()) > 50
        print(f"  {name:24} {', '.join(f'status {s}: {n}' for s, n in by_status.items())}")
    if never:
        print(f"{never} commands took whatever they were given")
    return 1 if complaints or never or not endings else 0


def run(command: Sequence[str]) -> Ending:
    """A command in a child of this process, which has all modules at hand."""
    with tempfile.TemporaryFile() as said:
        begun = time.monotonic()
        child = os.fork()
        if not child:
            _become(command, said.fileno())
        _, status = os.waitpid(child, 0)
        said.seek(0)
        text = said.read().decode(errors="replace")
        return Ending(os.waitstatus_to_exitcode(status), text, time.monotonic() - begun)


def _become(command: Sequence[str], output: int) -> None:
    end = os._exit
    signal.alarm(LIMIT)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.argv = ["memorycode", *command]
    status = 70
    try:
        run_command()
    except SystemExit as left:
        status = left.code if isinstance(left.code, int) else 1
    except BaseException:
        sys.excepthook(*sys.exc_info())
    with contextlib.suppress(Exception):
        sys.stdout.flush()
        sys.stderr.flush()
    end(status)


@contextlib.contextmanager
def replaced(file: Path, content: bytes) -> Iterator[None]:
    """The file with another content; after it all is as it was, whatever a command has written."""
    with tempfile.TemporaryDirectory() as aside:
        good = shutil.copytree(".", Path(aside) / "good")
        file.write_bytes(content)
        try:
            yield
        finally:
            for left in Path().iterdir():
                shutil.rmtree(left) if left.is_dir() else left.unlink()
            shutil.copytree(good, ".", dirs_exist_ok=True)


def damage(rng: random.Random, content: bytes) -> tuple[str, bytes]:
    """A content that is wrong in one or two places, and how it was made so."""
    ways: list[tuple[str, Callable[[random.Random, bytes], bytes | None]]] = [
        ("bytes", _bytes),
        ("json", _json),
        ("json", _json),
        ("line", _line),
        ("line", _line),
    ]
    while True:
        how, way = rng.choice(ways)
        damaged = way(rng, content)
        if damaged is not None:
            return how, damaged


def _bytes(rng: random.Random, content: bytes) -> bytes:
    start = rng.randrange(len(content) + 1)
    end = min(len(content), start + rng.choice((0, 1, 1, 10, 1_000, 10**9)))
    return content[:start] + rng.choice(BYTES) + content[end:]


def _json(rng: random.Random, content: bytes) -> bytes | None:
    """One value of a JSON file is another one."""
    try:
        data = json.loads(content)
    except ValueError:
        return None
    return json.dumps(_changed(rng, data)).encode()


def _line(rng: random.Random, content: bytes) -> bytes | None:
    """One value of a JSON line is another one; a checksum fits again."""
    lines = content.splitlines(keepends=True)
    at = rng.randrange(len(lines)) if lines else 0
    try:
        plain = unseal(lines[at])[0]
        data = _changed(rng, json.loads(plain))
        lines[at] = seal_content(json.dumps(data, separators=(",", ":")).encode()).line
    except (ValueError, IndexError):
        try:
            lines[at] = json.dumps(_changed(rng, json.loads(lines[at]))).encode() + b"\n"
        except (ValueError, IndexError):
            return None
    for _ in range(rng.choice((0, 0, 0, 1))):  # lines stand twice, are lost, or in another order
        lines[at:at] = rng.choice(([], [lines[at]], [rng.choice(lines)]))
        del lines[rng.randrange(len(lines))]
    return b"".join(lines)


def _changed(rng: random.Random, data: Any) -> Any:
    """The same data with one value, at any depth, lost, doubled or another."""
    parts: list[tuple[Any, Any]] = []
    _collect(data, parts)
    if not parts:
        return rng.choice(VALUES)
    holder, key = rng.choice(parts)
    if rng.random() < 0.15:
        del holder[key]
    elif rng.random() < 0.1:
        holder[key] = rng.choice([part[part_key] for part, part_key in parts])
    elif isinstance(holder, dict) and rng.random() < 0.1:
        holder[rng.choice(("extra", "", "__class__", "\ud800", "model_config"))] = rng.choice(
            VALUES
        )
    else:
        holder[key] = rng.choice(VALUES)
    return data


def _collect(data: Any, parts: list[tuple[Any, Any]]) -> None:
    if not isinstance(data, dict | list):
        return
    for key, value in data.items() if isinstance(data, dict) else enumerate(data):
        parts.append((data, key))
        _collect(value, parts)


def make_targets(folder: Path) -> list[Target]:
    """Good files of every kind in `folder`, and what reads them."""
    _good("generate", "--preset", "demo", "--dialogues", "2", "--sessions", "3", "--out", "made")
    shutil.copytree("made/dataset", "dataset")
    ask = ("run", "--dataset", "dataset", "--model", "ideal-mentee", "--strategy", "full_history")
    _good(*ask, "--strategy", "rag:k=2", "--out", "kept")
    _good("retrieve", "--dataset", "dataset", "--retriever", "bm25", "--k", "2", "--out", "ranked")
    _write_outputs(folder)
    _write_settings(folder)
    data, recorded = "dataset/dialogue_1.json", "recorded/output_1.json"
    score = ("score", "--dataset", "dataset", "--outputs", "recorded")
    read = [
        ("report", "kept"),
        ("report", "kept", "--json"),
        ("report", "kept", "--html", "out.html"),
        ("compare", "kept"),
        ("export", "kept", "--out", "out.csv"),
        ("export", "kept", "--level", "rules", "--format", "jsonl", "--out", "out.jsonl"),
        ("show", "kept", "--question", "1/2/0/full_history/ideal-mentee"),
        ("rescore", "kept", "--scorer", "strict"),
        ("figures", "kept", "--out", "outfigures"),
    ]
    resume = [(*ask, "--strategy", "rag:k=2", "--out", "kept")]
    records = [
        str(file) for file in sorted(Path("kept").rglob("*.json*")) if ".gz" not in file.name
    ]
    return [
        Target("data", data, [("audit", "dataset"), (*ask, "--out", "out"), ("detect", data)]),
        Target("data", data, [("dataset", "export", "dataset", "--out", "out"), score]),
        Target("outputs", recorded, [score, (*score, "--scorer", "both", "--json")]),
        Target("outputs", "cases.json", [("judge", "cases.json")]),
        *(Target("records", file, [*read, *resume]) for file in records),
        Target("settings", "run.toml", [("run", "run.toml", "--dry-run"), ("run", "run.toml")]),
        Target("settings", "grid.toml", [("retrieve", "--grid", "grid.toml", "--limit", "1")]),
        Target("settings", "prices.toml", [("report", "kept", "--prices", "prices.toml")]),
        Target(
            "settings", "preset.toml", [("generate", "--preset", "preset.toml", "--out", "out")]
        ),
        Target("settings", ".env", [("report", "kept")]),
        *(
            Target("texts", str(file), [(*ask, "--prompts", "prompts", "--out", "out")])
            for file in sorted(Path("prompts").iterdir())
        ),
        *(
            Target("texts", str(file), [("generate", "--pool", "pool", "--out", "out")])
            for file in sorted(Path("pool").iterdir())
        ),
        *(
            Target(
                "rankings",
                str(file),
                [(*ask, "--strategy", "rag:retriever=kept:folder=ranked", "--out", "out")],
            )
            for file in sorted(Path("ranked").rglob("*.json*"))
        ),
    ]


def _write_outputs(folder: Path) -> None:
    """Recorded outputs for the good data set, and single answers to judge."""
    for file in sorted((folder / "dataset").iterdir()):
        sessions = json.loads(file.read_text(encoding="utf-8"))["sessions"]
        answered = [
            {
                "session_model_output": ["```python\ndef f(a):\n    return a\n```"]
                * len(session["session_eval_query"]),
                "instruction_model_output": ["x = 1"] * len(session["session_eval_query"]),
                "history_model_output": ["class A: pass"] * len(session["history_eval_query"]),
            }
            for session in sessions
        ]
        name = file.name.replace("dialogue", "output")
        _write(f"recorded/{name}", json.dumps({"sessions": answered}))
    case = {"id": "a", "output": "def a_f(): pass", "object": "function", "rule": "^a_.*"}
    _write("cases.json", json.dumps([case, case | {"id": "b"}]))


def _write_settings(folder: Path) -> None:
    """One file of each kind that people write by hand."""
    _write(
        "run.toml",
        'strategies = ["full_history", "rag:k=2"]\nmodels = ["ideal-mentee"]\n'
        'dataset = "dataset"\nsetting = "session"\nseed = 1\nrepeats = 1\n',
    )
    _write(
        "grid.toml",
        'dataset = "dataset"\nstrategies = ["full_history"]\n[grid]\nretriever = ["bm25"]\n'
        'query = ["task"]\nunit = ["session", "window:50"]\nk = ["2", "50%", "cliff"]\n',
    )
    _write(
        "prices.toml",
        'as_of = "2025-10-01"\n[models."ideal-mentee"]\ninput = 1.0\noutput = 2.0\n'
        'cached_input = 0.5\nsource = "here"\n',
    )
    _write("preset.toml", "n_dialogues = 1\nn_sessions = [3]\nupdate_rate = 0.5\n")
    _write(".env", "OPENAI_API_KEY=sk-0123456789abcdef\nexport OTHER='x y'\n# a note\n")
    _write("prompts/question.txt", "{mentor} asks {mentee} at {company} for this: {query}\n")
    _write("prompts/passage.txt", "{text}\n")
    shutil.copytree(Path(__file__).parents[2] / "seeds", folder / "pool")


def _write(file: str, text: str) -> None:
    Path(file).parent.mkdir(parents=True, exist_ok=True)
    Path(file).write_text(text, encoding="utf-8")


def _good(*command: str) -> None:
    ending = run(command)
    if ending.status or ending.wrong:
        raise RuntimeError(f"{' '.join(command)}: {ending}")


if __name__ == "__main__":
    sys.exit(main())
