"""How many questions a second a run asks, beside the bare client in a thread pool.

Run it as ``python tests/bench/bench_throughput.py [QUESTIONS] [REPEATS] [MILLISECONDS]``. A server
in a process of its own answers every request after 200 ms; 32 are under way at once. Both ways send
the same prompts, by turns in one process, and the medians are printed:

* bare: `openai.OpenAI` in a `ThreadPoolExecutor`, its answers thrown away, and
* ours: `run_experiment` as ``memorycode run --concurrency 32`` calls it: memory, prompt, records,
  scoring, cache and all, from an empty folder.

The bar is that *ours* asks at least 0.95 times as many questions a second as *bare*.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from memorycode.dialogue import Dialogue
from memorycode.evaluation import run_experiment
from memorycode.experiment import Experiment
from memorycode.generation.generate import generate_dialogues
from memorycode.generation.pool import SeedPool
from memorycode.generation.settings import preset
from memorycode.model_options import ModelChoice
from memorycode.protocols import QuestionRef
from memorycode.running.contexts import ContextStore
from memorycode.running.execution import Execution
from memorycode.running.folder import RunFolder
from memorycode.running.prompting import PromptBuilder
from memorycode.running.runner import NoProgress

AT_ONCE = 32
MILLISECONDS = 200
BAR = 0.95
ANSWER = "def a_sort(items):\n    return sorted(items)\n"


def main() -> None:
    questions = int(sys.argv[1]) if len(sys.argv) > 1 else 1280
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    delay = int(sys.argv[3]) if len(sys.argv) > 3 else MILLISECONDS
    with tempfile.TemporaryDirectory() as folder, server(delay) as url:
        dialogues = dialogues_with(questions)
        _run(dialogues[:1], url, Path(folder) / "first")  # everything is imported
        taken: dict[str, list[float]] = {"bare": [], "ours": []}
        for turn in range(repeats):
            out = Path(folder) / str(turn)
            asked = _run(dialogues, url, out)
            taken["ours"].append(asked)
            taken["bare"].append(_bare(_prompts(out), url))
        report(questions, delay, taken)


def report(questions: int, delay: int, taken: dict[str, list[float]]) -> None:
    print(f"{questions:,} questions, {AT_ONCE} at once, {delay} ms each")
    for way, seconds in taken.items():
        middle = statistics.median(seconds)
        print(f"  {way} median {middle:6.2f} s   {questions / middle:6.1f} questions/s")
    print(f"  the server's own pace is {1000 * AT_ONCE / delay:.0f} questions/s")
    ratios = [b / o for b, o in zip(taken["bare"], taken["ours"], strict=True)]
    print(f"  ours / bare in questions/s (bar {BAR}): median {statistics.median(ratios):.3f}")


def dialogues_with(questions: int) -> list[Dialogue]:
    """Generated dialogues, as many as have so many questions after their last session."""
    settings = preset("demo").model_copy(update={"n_dialogues": questions})
    found, left = [], questions
    for dialogue in generate_dialogues(settings, seed=0, pool=SeedPool.load()):
        kept = dialogue.history_queries[:left]
        found.append(dialogue.model_copy(update={"history_queries": kept}))
        left -= len(kept)
        if not left:
            break
    return found


def _run(dialogues: Sequence[Dialogue], url: str, out: Path) -> float:
    experiment = Experiment(
        strategies=("full_history",),
        models=(ModelChoice(spec="openai/tiny", base_url=url),),
        dataset="generated",
    )
    clock = _Asking()
    run_experiment(experiment, dialogues, Execution(out=out, concurrency=AT_ONCE), clock)
    return clock.seconds


class _Asking(NoProgress):
    """The seconds from the first question to the last; what comes before and after is no asking."""

    def __init__(self) -> None:
        self._started = self._last = 0.0

    @property
    def seconds(self) -> float:
        return self._last - self._started

    def start(self, total: int, done: int) -> None:
        self._started = time.perf_counter()

    def advance(self, record: object) -> None:
        self._last = time.perf_counter()


def _prompts(out: Path) -> list[str]:
    """What the run has sent, rebuilt from its folder."""
    folder = RunFolder(out)
    dialogues = {dialogue.number: dialogue for dialogue in folder.dialogues()}
    contexts = {context.id: context for context in folder.contexts()}
    pack, prompts = folder.manifest.settings.prompts, []
    for record in folder.records():
        dialogue = dialogues[record.dialogue]
        ref = QuestionRef(record.dialogue, record.setting, record.session, record.number)
        recall = ContextStore(dialogue).restore(contexts[record.context])
        builder = PromptBuilder(pack, dialogue.context.speakers)
        prompts.append(builder.prompt(recall, record.query, ref).text)
    return prompts


def _bare(prompts: Sequence[str], url: str) -> float:
    import openai

    def ask(prompt: str) -> object:
        return client.chat.completions.create(
            model="tiny", messages=[{"role": "user", "content": prompt}], temperature=0.0
        )

    started = time.perf_counter()
    with (
        openai.OpenAI(base_url=url, api_key="none") as client,
        ThreadPoolExecutor(AT_ONCE) as threads,
    ):
        for answer in threads.map(ask, prompts):
            assert answer
    return time.perf_counter() - started


@contextmanager
def server(delay: int) -> Iterator[str]:
    """The endpoint in a process of its own, so that it takes no time of the client's."""
    process = subprocess.Popen(
        [sys.executable, __file__, "--serve", str(delay)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


class _Handler(BaseHTTPRequestHandler):
    """Answers alike, so long after a request has come in."""

    seconds = MILLISECONDS / 1000
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        came = time.perf_counter()
        self.rfile.read(int(self.headers["Content-Length"]))
        message = {"role": "assistant", "content": ANSWER}
        reply = {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": "tiny",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18},
        }
        body = json.dumps(reply).encode()
        time.sleep(max(0.0, self.seconds - (time.perf_counter() - came)))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def serve(delay: int) -> None:
    _Handler.seconds = delay / 1000
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as listening:
        print(f"http://127.0.0.1:{listening.server_address[1]}/v1", flush=True)
        listening.serve_forever()


if __name__ == "__main__":
    serve(int(sys.argv[2])) if sys.argv[1:2] == ["--serve"] else main()
