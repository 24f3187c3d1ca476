"""The two judges of `rerank`: a CrossEncoder in this process, and an endpoint."""

from __future__ import annotations

import json
import math
import os
import threading
import time
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from memorycode.errors import PluginError, UsageError
from memorycode.extras import check_installed, needed
from memorycode.messages import without_half_pairs

KEY_VARIABLE = "RERANK_API_KEY"
_SECONDS = 60.0
_LARGEST_REPLY = 20_000_000
_LOCK = threading.Lock()


class CrossEncoderJudge:
    """A sentence-transformers CrossEncoder (Nogueira and Cho, arXiv 1901.04085)."""

    def __init__(self, name: str) -> None:
        """Raises `PluginError` where its library is not installed."""
        check_installed({f"rerank:model={name}": {"dense": ("sentence_transformers",)}})
        self._name = name

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Raises `PluginError` where the model cannot be loaded."""
        if not texts:
            return []
        with _LOCK:  # the library uses all cores by itself
            asked = without_half_pairs(query)
            found = _cross_encoder(self._name).predict(
                [(asked, without_half_pairs(text)) for text in texts], show_progress_bar=False
            )
        if found.ndim != 1:
            raise PluginError(
                f"rerank: {self._name!r} gives {found.shape[1]} numbers for a text; a reranker "
                "gives one"
            )
        return [float(score) for score in found]


@lru_cache(maxsize=2)
def _cross_encoder(name: str) -> Any:
    needed("dense", "sentence_transformers")
    from sentence_transformers import CrossEncoder

    try:
        return CrossEncoder(name, device="cpu")
    except Exception as error:
        raise PluginError(
            f"rerank: {name!r} is no CrossEncoder that can be loaded: "
            f"{type(error).__name__}: {error}"
        ) from error


class EndpointJudge:
    """An endpoint that takes ``{"model", "query", "documents", "top_n"}`` and answers
    ``{"results": [{"index", "relevance_score"}]}``."""

    def __init__(self, url: str, model: str) -> None:
        self._url, self._model, self._place = url, model, _place(url)

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Raises `PluginError` where the endpoint does not answer in its form."""
        import httpx

        if not texts:
            return []
        documents = [without_half_pairs(text) for text in texts]
        body: dict[str, Any] = {
            "query": without_half_pairs(query),
            "documents": documents,
            "top_n": len(texts),
        }
        if self._model:
            body["model"] = self._model
        key = _key()
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        try:
            with httpx.stream(
                "POST", self._url, json=body, headers=headers, timeout=_SECONDS
            ) as reply:
                reply.raise_for_status()
                return _read(json.loads(self._whole(reply.iter_bytes())), len(texts))
        except httpx.HTTPStatusError as error:
            raise self._failure(f"status {error.response.status_code}") from None
        except httpx.HTTPError as error:
            raise self._failure(f"cannot be reached: {type(error).__name__}") from None
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
            raise self._failure(f"its reply is not in the form of a rerank: {error}") from None

    def _whole(self, chunks: Iterable[bytes]) -> bytes:
        """The reply, which must neither trickle in for ever nor fill the memory."""
        ends, read = time.monotonic() + _SECONDS, bytearray()
        for chunk in chunks:
            read += chunk
            if len(read) > _LARGEST_REPLY or time.monotonic() > ends:
                raise self._failure(
                    f"its reply takes more than {_SECONDS:.0f} s or {_LARGEST_REPLY:,} bytes"
                )
        return bytes(read)

    def _failure(self, problem: str) -> PluginError:
        return PluginError(f"rerank endpoint {self._place}: {problem}")


def _place(url: str) -> str:
    """The address for people: without name, password and query, any of which may be a secret."""
    try:
        parts = urlsplit(url)
        host, _ = parts.netloc.rpartition("@")[2], parts.port  # no number: ValueError
    except ValueError:
        parts, host = urlsplit(""), ""
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError("rerank: url is the endpoint's address, such as http://HOST/v1/rerank")
    return f"{parts.scheme}://{host}{parts.path}"


def _key() -> str:
    key = os.environ.get(KEY_VARIABLE, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise PluginError(f"{KEY_VARIABLE} holds a character that a header cannot carry")
    return key


def _read(reply: Any, count: int) -> list[float]:
    scores = {int(one["index"]): float(one["relevance_score"]) for one in reply["results"]}
    known = len(scores.keys() & set(range(count)))
    if known < count or len(scores) > count:
        raise ValueError(f"{known} of {count} documents have a score, and {len(scores)} are named")
    if not all(map(math.isfinite, scores.values())):
        raise ValueError("a score is no number")
    return [scores[index] for index in range(count)]
