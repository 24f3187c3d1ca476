"""The two judges of `rerank`: a CrossEncoder in this process, and an endpoint."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from memorycode.errors import PluginError, UsageError

KEY_VARIABLE = "RERANK_API_KEY"
_SECONDS = 60.0
_LOCK = threading.Lock()


class CrossEncoderJudge:
    """A sentence-transformers CrossEncoder (Nogueira and Cho, arXiv 1901.04085)."""

    def __init__(self, name: str) -> None:
        self._name = name

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Raises `PluginError` where the model or its library is not installed."""
        if not texts:
            return []
        with _LOCK:  # the library uses all cores by itself
            found = _cross_encoder(self._name).predict(
                [(query, text) for text in texts], show_progress_bar=False
            )
        return [float(score) for score in found]


@lru_cache(maxsize=2)
def _cross_encoder(name: str) -> Any:
    try:
        from sentence_transformers import CrossEncoder
    except ImportError as error:
        raise PluginError(
            f"rerank needs the extra dense: pip install 'memorycode[dense]' ({error})"
        ) from error
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
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError("rerank: url is the endpoint's address, such as http://HOST/v1/rerank")
        self._url, self._model = url, model
        self._place = f"{parts.scheme}://{parts.hostname}{parts.path}"  # without name and password

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Raises `PluginError` where the endpoint does not answer in its form."""
        import httpx

        if not texts:
            return []
        key = os.environ.get(KEY_VARIABLE, "").strip()
        body = {"query": query, "documents": list(texts), "top_n": len(texts)}
        try:
            reply = httpx.post(
                self._url,
                json=body | ({"model": self._model} if self._model else {}),
                headers={"Authorization": f"Bearer {key}"} if key else {},
                timeout=_SECONDS,
            )
            reply.raise_for_status()
            return _read(reply.json(), len(texts))
        except httpx.HTTPStatusError as error:
            raise self._failure(f"status {error.response.status_code}") from None
        except httpx.HTTPError as error:
            raise self._failure(f"cannot be reached: {type(error).__name__}") from None
        except (ValueError, TypeError, KeyError) as error:
            raise self._failure(f"its reply is not in the form of a rerank: {error}") from None

    def _failure(self, problem: str) -> PluginError:
        return PluginError(f"rerank endpoint {self._place}: {problem}")


def _read(reply: Any, count: int) -> list[float]:
    scores = {int(one["index"]): float(one["relevance_score"]) for one in reply["results"]}
    if sorted(scores) != list(range(count)):
        raise ValueError(f"{len(scores)} of {count} documents have a score")
    if not all(map(math.isfinite, scores.values())):
        raise ValueError("a score is no number")
    return [scores[index] for index in range(count)]
