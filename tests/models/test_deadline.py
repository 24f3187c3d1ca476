"""A model call ends in time, however slowly its reply drips, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from memorycode.errors import ModelError
from memorycode.model_options import ModelOptions
from memorycode.models.openai_chat import OpenAIChat
from memorycode.protocols import Prompt

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n"


class Dripping:
    """Sends `at_once`, then a byte every fiftieth of a second until the client hangs up."""

    def __init__(self, at_once: bytes) -> None:
        self._at_once = at_once
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}/v1"
        self.hung_up = threading.Event()
        self.calls = 0
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self.calls += 1
            drip = threading.Thread(target=self._drip, args=(connection,))
            self._threads.append(drip)
            drip.start()

    def _drip(self, connection: socket.socket) -> None:
        with closing(connection):
            try:
                connection.recv(65536)
                connection.sendall(self._at_once)
                while not self._over.wait(0.02):
                    connection.sendall(b"H")
            except OSError:
                self.hung_up.set()

    def close(self) -> None:
        self._over.set()
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for thread in self._threads:
            thread.join()


@contextmanager
def dripping(at_once: bytes) -> Iterator[Dripping]:
    server = Dripping(at_once)
    try:
        yield server
    finally:
        server.close()


@pytest.mark.parametrize("at_once", [b"", HEAD], ids=["from the first byte", "the body"])
def test_a_reply_that_drips_is_cut_off(at_once: bytes) -> None:
    with dripping(at_once) as server:
        model = OpenAIChat("tiny", ModelOptions(base_url=server.url, timeout=1.5))
        with pytest.raises(ModelError, match=r"no answer within 1\.5 s") as caught:
            model.generate(Prompt(("Hello",)))
        assert caught.value.kind == "timeout"
        assert server.hung_up.wait(60)  # nothing goes on reading behind the caller's back
        assert server.calls == 1


def test_calls_of_several_threads_have_a_deadline_each() -> None:
    with dripping(HEAD) as server:
        model = OpenAIChat("tiny", ModelOptions(base_url=server.url, timeout=0.4))
        kinds: list[str] = []

        def ask() -> None:
            try:
                model.generate(Prompt(("Hello",)))
            except ModelError as error:
                kinds.append(error.kind)

        threads = [threading.Thread(target=ask) for _ in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert kinds == ["timeout"] * 5


def test_a_process_ends_quietly_with_a_model_in_hand() -> None:
    code = (
        "import sys\n"
        "from memorycode.errors import ModelError\n"
        "from memorycode.model_options import ModelOptions\n"
        "from memorycode.models.openai_chat import OpenAIChat\n"
        "from memorycode.protocols import Prompt\n"
        "model = OpenAIChat('tiny', ModelOptions(base_url=sys.argv[1], timeout=0.4))\n"
        "try:\n"
        "    model.generate(Prompt(('Hello',)))\n"
        "except ModelError:\n"
        "    print('cut off')\n"
    )
    with dripping(HEAD) as server:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", code, server.url],
            check=False,
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert (done.returncode, done.stdout, done.stderr) == (0, "cut off\n", "")


def test_it_works_within_a_running_event_loop() -> None:
    """A notebook has one in its main thread."""

    async def cell() -> str:
        with dripping(HEAD) as server, pytest.raises(ModelError) as caught:
            OpenAIChat("tiny", ModelOptions(base_url=server.url, timeout=0.4)).generate(
                Prompt(("Hello",))
            )
        return caught.value.kind

    assert asyncio.run(cell()) == "timeout"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_a_fork_does_not_wait_for_ever() -> None:
    code = (
        "import os, sys\n"
        "from memorycode.model_options import ModelOptions\n"
        "from memorycode.models.openai_chat import OpenAIChat\n"
        "from memorycode.protocols import Prompt\n"
        "model = OpenAIChat('tiny', ModelOptions(base_url='http://127.0.0.1:9/v1'))\n"
        "child = os.fork()\n"
        "if child:\n"
        "    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
        "try:\n"
        "    model.generate(Prompt(('Hello',)))\n"
        "except RuntimeError:\n"
        "    os._exit(7)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, timeout=60)
    assert done.returncode == 7


def test_the_loop_ends_with_its_model() -> None:
    before = set(threading.enumerate())
    model = OpenAIChat("tiny", ModelOptions(base_url="http://127.0.0.1:9/v1"))
    (thread,) = set(threading.enumerate()) - before
    del model
    thread.join(60)
    assert not thread.is_alive()
