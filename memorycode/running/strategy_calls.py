"""How a strategy is called: directly, or with a bound on the time that a call may take.

In threads a call that hangs cannot be ended, only left behind. So a strategy that is held to a
bound lives in a thread of its own, and whatever it asks of its model and its embedder is done by
the thread that waits for it. Left behind, it reaches neither the meter nor the cache nor a record,
whenever it wakes: nobody does anything for it any more.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from functools import partial
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from memorycode.errors import StrategyHung
from memorycode.plugin_process import end_process
from memorycode.protocols import Completion, Embedder, Model, Prompt
from memorycode.running.counted_embedder import CountedEmbedder
from memorycode.running.counted_model import CountedModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")


class StrategyCalls(Protocol):
    """Calls one strategy."""

    def call(self, doing: str, do: Callable[[], T]) -> T:
        """What `do` returns or raises; `doing` says what it is. Raises `StrategyHung` where that
        takes too long."""
        ...

    def model(self, model: CountedModel) -> Model:
        """The model as the strategy is to have it."""
        ...

    def unreadable(self, model: CountedModel) -> Callable[[], None]:
        """What the strategy calls for an answer that it could make nothing of."""
        ...

    def embedder(self, embedder: CountedEmbedder) -> Embedder:
        """The embedder as the strategy is to have it."""
        ...

    def close(self) -> None:
        """The strategy is not called again."""
        ...


class DirectCalls:
    """Calls it in this thread, however long that takes."""

    def call(self, doing: str, do: Callable[[], T]) -> T:
        del doing
        return do()

    def model(self, model: CountedModel) -> Model:
        return model

    def unreadable(self, model: CountedModel) -> Callable[[], None]:
        return model.count_unreadable

    def embedder(self, embedder: CountedEmbedder) -> Embedder:
        return embedder

    def close(self) -> None:
        pass


class ToldCalls(DirectCalls):
    """As `DirectCalls`, and tells another process, which ends this one where a call hangs."""

    def __init__(self, tell: Callable[..., object]) -> None:
        self._tell = tell

    def call(self, doing: str, do: Callable[[], T]) -> T:
        self._tell("began", doing)
        try:
            return do()
        finally:
            self._tell("ended")


class CallsInThread:
    """Calls it in a thread of its own, which is left behind after so many seconds.

    A call to the model that is under way then is waited for: it has a bound of its own, and the
    meter learns what became of it.
    """

    def __init__(self, seconds: float, left_behind: Callable[[], object]) -> None:
        self._seconds, self._left_behind = seconds, left_behind
        self._work: SimpleQueue[_Job | None] = SimpleQueue()
        self._heard: SimpleQueue[_Job] = SimpleQueue()
        self._lock = threading.Lock()
        self._started = self._closed = False
        self._process = os.getpid()

    def call(self, doing: str, do: Callable[[], T]) -> T:
        if not self._started:
            self._started = True
            # A daemon: the interpreter does not wait for it at its end.
            threading.Thread(target=self._live, name="strategy", daemon=True).start()
        job = _Job(do)
        deadline = time.monotonic() + self._seconds
        self._work.put(job)
        while (heard := self._next(deadline)) is not job:
            if heard is None or time.monotonic() > deadline:
                if heard is not None:
                    heard.result.cancel()
                self.close()
                self._left_behind()
                raise StrategyHung(doing)
            heard.run()
        result: T = job.result.result()
        return result

    def model(self, model: CountedModel) -> Model:
        return _ServedModel(model, self._ask)

    def unreadable(self, model: CountedModel) -> Callable[[], None]:
        return partial(self._ask, model.count_unreadable)

    def embedder(self, embedder: CountedEmbedder) -> Embedder:
        return _ServedEmbedder(embedder, self._ask)

    def close(self) -> None:
        with self._lock:
            self._closed = True
        self._work.put(None)
        while not self._heard.empty():
            self._heard.get().result.cancel()

    def _next(self, deadline: float) -> _Job | None:
        """What the strategy wants done, or the call that it is done with; None where the time is
        over."""
        try:
            return self._heard.get(timeout=max(0.0, deadline - time.monotonic()))
        except Empty:
            return None

    def _live(self) -> None:
        while (job := self._work.get()) is not None:
            job.run()
            if os.getpid() != self._process:
                end_process(1)  # a copy that the strategy made by a fork: nobody waits for it
            self._heard.put(job)

    def _ask(self, do: Callable[[], T]) -> T:
        """Have it done by the thread that waits; raises `CancelledError` where none does now."""
        job = _Job(do)
        with self._lock:
            if self._closed:
                raise CancelledError("the run waits for this strategy no more")
            self._heard.put(job)
        result: T = job.result.result()
        return result


class _Job:
    """Something to do in another thread, and what came of it."""

    def __init__(self, do: Callable[[], Any]) -> None:
        self._do = do
        self.result: Future[Any] = Future()

    def run(self) -> None:
        try:
            done = self._do()
        except BaseException as error:
            self.result.set_exception(error)
        else:
            self.result.set_result(done)


class _ServedModel:
    """The strategy's model; another thread asks it."""

    is_language_model = True

    def __init__(self, model: CountedModel, ask: Callable[[Callable[[], Any]], Any]) -> None:
        self.name, self.takes_tools = model.name, model.takes_tools
        self._model, self._ask = model, ask

    def generate(self, prompt: Prompt) -> Completion:
        """As `CountedModel.generate`."""
        completion: Completion = self._ask(partial(self._model.generate, prompt))
        return completion


class _ServedEmbedder:
    """The strategy's embedder; another thread has it embed."""

    def __init__(self, embedder: CountedEmbedder, ask: Callable[[Callable[[], Any]], Any]) -> None:
        self.name = embedder.name
        self._embedder, self._ask = embedder, ask

    def pieces(self, text: str) -> list[str]:
        found: list[str] = self._ask(partial(self._embedder.pieces, text))
        return found

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors: NDArray[np.float32] = self._ask(partial(self._embedder.embed, texts))
        return vectors
