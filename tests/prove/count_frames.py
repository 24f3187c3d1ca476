"""How deep one question lies: our frames from the command line to the HTTP call.

Run it as ``python tests/prove/count_frames.py``. It starts a small endpoint, has the command line
ask it one question, and looks at the stacks of all threads at the moment at which the client is
handed the request. Frames of other packages, and those that only wait, are not counted.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import FrameType
from typing import Any
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
SETTLED = 0.2
"""Seconds after which whoever sent the request on only waits for it."""
OURS = tuple(str(ROOT / name) + "/" for name in ("memorycode", "memory_strategies", "baselines"))


class _Endpoint(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        message = {"role": "assistant", "content": "```python\nx = 1\n```"}
        reply = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
        body = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def endpoint() -> Iterator[str]:
    """The address of an endpoint that answers every request alike."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def our_frames(frame: FrameType | None) -> list[str]:
    """``file:function`` of our frames of a stack, the outermost first."""
    found = []
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(OURS):
            found.append(f"{Path(file).relative_to(ROOT)}:{frame.f_code.co_name}")
        frame = frame.f_back
    return found[::-1]


def stacks_at_the_call(url: str, out: Path) -> list[list[str]]:
    """The stacks of the threads that lead to the HTTP call of a question: the command's, the
    task's, the client's."""
    import httpx2 as httpx

    from memorycode.cli.app import make_app

    seen: list[list[list[str]]] = []
    send = httpx.AsyncClient.send

    async def watched(client: httpx.AsyncClient, *args: Any, **options: Any) -> httpx.Response:
        await asyncio.sleep(SETTLED)
        here = threading.get_ident()
        frames = dict(sys._current_frames())
        others = [our_frames(f) for number, f in sorted(frames.items()) if number != here]
        seen.append([*filter(None, others), our_frames(sys._getframe())])
        return await send(client, *args, **options)

    options = ["--model", "openai/frames", "--strategy", "full_history", "--base-url", url]
    arguments = ["run", "demo", *options, "--limit", "1", "--concurrency", "1", "--out", str(out)]
    with mock.patch.object(httpx.AsyncClient, "send", watched):
        make_app()(arguments, standalone_mode=False)
    return seen[-1]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, endpoint() as url:
        stacks = stacks_at_the_call(url, Path(folder) / "run")
    frames = [frame for stack in stacks for frame in stack]
    for frame in frames:
        print(f"  {frame}")
    files = {frame.partition(":")[0] for frame in frames}
    print(f"{len(frames)} frames in {len(files)} files from the command line to the HTTP call")


if __name__ == "__main__":
    main()
