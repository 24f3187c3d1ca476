"""Reranking: a judge reorders what a first retriever proposed, and its faults are told."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from baselines.bm25 import BM25
from baselines.oracle import Oracle
from baselines.recency import Recency
from baselines.rerank import Rerank
from baselines.rerankers import KEY_VARIABLE, CrossEncoderJudge
from memorycode.errors import PluginError, UsageError
from memorycode.plugins import RetrieverPlugin
from memorycode.protocols import Unit

TEXTS = ("oak", "oak tree tree tree", "ash", "oak tree", "heron")
KEY = "s3cret-key"


Reply = Callable[[dict[str, Any]], tuple[int, bytes]]


def longest_best(asked: dict[str, Any]) -> tuple[int, bytes]:
    """Scores a document by its length, in the form of a rerank; the best comes first."""
    scores = [len(document) / 100 for document in asked["documents"]]
    best = sorted(range(len(scores)), key=lambda n: -scores[n])
    results = [{"index": n, "relevance_score": scores[n]} for n in best]
    return 200, json.dumps({"id": "1", "results": results}).encode()


class Endpoint:
    """A rerank endpoint on this machine; `reply` says what it answers."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.reply: Reply = longest_best
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            served.asked.append(asked)
            served.keys.append(self.headers["Authorization"])
            status, body = served.reply(asked)
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served = Endpoint(f"http://127.0.0.1:{server.server_port}/v1/rerank")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield served
    server.shutdown()
    thread.join()
    server.server_close()


def filled(retriever: Rerank, texts: Sequence[str] = TEXTS) -> Rerank:
    retriever.add([Unit(text, place) for place, text in enumerate(texts)])
    return retriever


def places(retriever: Rerank, k: int = 9) -> list[int]:
    return [hit.position for hit in retriever.search("oak", k)]


def test_scores_are_the_cross_encoders(cross_encoder: str) -> None:
    from sentence_transformers import CrossEncoder

    theirs = CrossEncoder(cross_encoder, device="cpu").predict([("oak", text) for text in TEXTS])
    hits = filled(Rerank(first=Recency(), model=cross_encoder)).search("oak", 9)
    assert {hit.position: hit.score for hit in hits} == pytest.approx(
        dict(enumerate(map(float, theirs))), abs=1e-5
    )


def test_what_is_no_cross_encoder_is_refused(tmp_path: Any) -> None:
    pytest.importorskip("sentence_transformers")
    with pytest.raises(PluginError, match="is no CrossEncoder that can be loaded"):
        CrossEncoderJudge(str(tmp_path)).scores("q", ["text"])


def test_the_endpoint_orders_what_was_proposed(endpoint: Endpoint) -> None:
    retriever = filled(Rerank(first=Recency(), url=endpoint.url, model="m", depth=4))
    assert places(retriever) == [1, 3, 4, 2, 0]  # by length; the oldest was not proposed
    (asked,) = endpoint.asked
    assert asked == {
        "model": "m",
        "query": "oak",
        "documents": [TEXTS[n] for n in (4, 3, 2, 1)],
        "top_n": 4,
    }


def test_scores_fall_beyond_what_was_judged(endpoint: Endpoint) -> None:
    hits = filled(Rerank(first=Recency(), url=endpoint.url, depth=2)).search("oak", 9)
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores[2:])) == 3


def test_how_many_are_wanted_does_not_change_what_is_judged(endpoint: Endpoint) -> None:
    retriever = filled(Rerank(first=Recency(), url=endpoint.url, depth=2))
    every = places(retriever)
    assert [places(retriever, k) for k in range(6)] == [every[:k] for k in range(6)]
    assert {len(asked["documents"]) for asked in endpoint.asked} == {2}
    assert len(endpoint.asked) == 6  # nothing is asked where nothing is wanted


def test_nothing_to_judge_is_not_asked(endpoint: Endpoint) -> None:
    assert Rerank(first=BM25(), url=endpoint.url).search("oak", 3) == []
    assert endpoint.asked == []


@pytest.mark.parametrize("key", [KEY, ""])
def test_the_key_comes_from_the_environment(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, key)
    filled(Rerank(first=BM25(), url=endpoint.url)).search("oak", 1)
    assert endpoint.keys == [f"Bearer {key}" if key else None]
    assert "model" not in endpoint.asked[0]


def result(*pairs: tuple[Any, Any]) -> bytes:
    return json.dumps(
        {"results": [{"index": n, "relevance_score": score} for n, score in pairs]}
    ).encode()


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (500, KEY.encode(), "status 500"),
        (401, KEY.encode(), "status 401"),
        (302, b"", "status 302"),
        (200, b"not json " + KEY.encode(), "not in the form of a rerank"),
        (200, b"[]", "not in the form"),
        (200, b"null", "not in the form"),
        (200, b"[" * 100_000, "not in the form"),
        (200, b"\xff\xfe\x00", "not in the form"),
        (200, b'{"data": []}', "not in the form of a rerank: 'results'"),
        (200, b'{"results": [{"index": 0}]}', "not in the form of a rerank: 'relevance_score'"),
        (200, b'{"results": {"index": 0}}', "not in the form"),
        (200, result((0, 1)), "1 of 2 documents have a score"),
        (200, result((0, 1), (0, 2)), "1 of 2 documents have a score"),
        (200, result((0, 1), (7, 2)), "1 of 2 documents have a score, and 2 are named"),
        (200, result((0, 1), (1, math.nan)), "a score is no number"),
        (200, result((0, 1), (1, math.inf)), "a score is no number"),
        (200, result((0, 1), (math.inf, 1)), "not in the form"),
        (200, result((0, 1), (1, "high")), "not in the form"),
        (200, result((0, 1), (1, None)), "not in the form"),
    ],
)
def test_a_fault_is_told_without_the_key(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, status: int, body: bytes, message: str
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    endpoint.reply = lambda asked: (status, body)
    url = endpoint.url.replace("http://", f"http://user:{KEY}@") + f"?key={KEY}"
    retriever = filled(Rerank(first=BM25(), url=url), ["oak", "ash"])
    with pytest.raises(PluginError, match=message) as raised:
        retriever.search("oak", 2)
    seen: BaseException | None = raised.value
    assert "rerank endpoint http://127.0.0.1" in str(seen)
    while seen is not None:
        assert KEY not in str(seen)
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)


def test_a_key_that_no_header_can_carry_is_not_told(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, f"{KEY}\n€")
    with pytest.raises(PluginError, match=KEY_VARIABLE) as raised:
        filled(Rerank(first=BM25(), url=endpoint.url)).search("oak", 2)
    assert KEY not in str(raised.value)


def test_a_reply_without_end_is_given_up(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("baselines.rerankers._LARGEST_REPLY", 1000)
    endpoint.reply = lambda asked: (200, b" " * 5000)
    with pytest.raises(PluginError, match="reply takes more than"):
        filled(Rerank(first=BM25(), url=endpoint.url)).search("oak", 2)


def test_half_a_surrogate_pair_can_be_sent(endpoint: Endpoint) -> None:
    retriever = filled(Rerank(first=BM25(), url=endpoint.url), ["half \ud83d a pair", "oak"])
    assert sorted(places(retriever)) == [0, 1]


def test_an_endpoint_that_is_not_there(endpoint: Endpoint) -> None:
    retriever = filled(Rerank(first=BM25(), url="http://127.0.0.1:9/rerank"))
    told = r"http://127\.0\.0\.1:9/rerank: cannot be reached: ConnectError"
    with pytest.raises(PluginError, match=told):
        retriever.search("oak", 2)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("rerank", "give model=NAME_OR_FOLDER of a CrossEncoder, or url="),
        ("rerank:model=m;depth=0", "depth is a number of units from 1 on, not 0"),
        ("rerank:url=ftp://host/x", "url is the endpoint's address"),
        ("rerank:url=host", "url is the endpoint's address"),
        ("rerank:url=http://host:port/x", "url is the endpoint's address"),
        ("rerank:url=http://host:70000/x", "url is the endpoint's address"),
        ("rerank:url=http://[host/x", "url is the endpoint's address"),
        ("rerank:url=http://:80/x", "url is the endpoint's address"),
        ("rerank:model=m;first=nothing", "no retriever named 'nothing'"),
    ],
)
def test_wrong_use_is_refused(spec: str, message: str) -> None:
    from memorycode.conformance.stand_ins import HashedWords

    with pytest.raises(UsageError, match=message):
        RetrieverPlugin.load(spec).build(HashedWords())


def test_an_oracle_cannot_propose() -> None:
    with pytest.raises(UsageError, match="first sees gold labels"):
        Rerank(first=Oracle(), model="any")
