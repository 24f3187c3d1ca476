"""An event loop in the background, for what must end in time whatever it waits for.

A blocking call can bound a single read at most: a server that sends a byte a second keeps it for
ever. On an event loop the whole of it can be cut off.
"""

from __future__ import annotations

import asyncio
import os
import threading
import weakref
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

_Result = TypeVar("_Result")


class BackgroundLoop:
    """A loop in a thread of its own, as the caller's may have one that is running.

    It stops when nobody holds it any more: `close` is awaited first.
    """

    def __init__(self, close: Callable[[], Awaitable[None]]) -> None:
        self._loop, self._process = asyncio.new_event_loop(), os.getpid()
        threading.Thread(target=_turn, args=(self._loop,), daemon=True).start()
        weakref.finalize(self, _stop, self._loop, close)

    def start(self, work: Coroutine[Any, Any, _Result], seconds: float) -> Future[_Result]:
        """What `work` will return or raise. May be called from several threads at once.

        The result is a `TimeoutError` where it is not done within `seconds`; it has been ended
        then. Raises `RuntimeError` in a fork, where the thread does not exist and a result would
        never come.
        """
        if os.getpid() != self._process:
            work.close()
            raise RuntimeError("made in another process, of which this is a fork")
        return asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, seconds), self._loop)


def _turn(loop: asyncio.AbstractEventLoop) -> None:
    with asyncio.Runner(loop_factory=lambda: loop) as runner:  # it ends what is left, and closes
        while True:
            try:
                return runner.get_loop().run_forever()
            except (SystemExit, KeyboardInterrupt):  # of one call, which is told; not of the others
                continue


def _stop(loop: asyncio.AbstractEventLoop, close: Callable[[], Awaitable[None]]) -> None:
    async def end() -> None:
        try:
            await close()
        finally:
            loop.stop()

    asyncio.run_coroutine_threadsafe(end(), loop)
