"""An HTTP client that takes no more of a reply than it may have, and is led nowhere else.

A reply is hostile: it may never end, a few of its bytes may inflate to gigabytes, and it may send
the client on to another address, key and all. This client stands in for the one that the package
openai brings; LangChain's models take it too, where they are built on that package.

The package goes by one of two libraries for HTTP, whose classes are alike. Hence its own client's
class is what is built on here, and a reply is made of the class that the library made it of.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

import openai

from memorycode.models.endpoint import MAX_REPLY_BYTES, shown_address
from memorycode.models.failures import Failure, ReplyRefused

if TYPE_CHECKING:
    import httpx2

MAX_ERROR_BYTES = 2**20
"""Of the body that comes with a status of failure: what it says stands at its beginning."""

_MOST_REDIRECTS = 3
_SAME_REQUEST = (307, 308)
"""After these the same request is to be sent to the other address; after others one without body,
whose reply is no answer."""

_PIECE = 2**16
_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS
_ABOUT_THE_BODY = ("content-encoding", "content-length", "transfer-encoding")


class BoundedClient(openai.DefaultAsyncHttpxClient):
    """Reads at most so many bytes of a reply; what is longer raises `ReplyRefused` there and then,
    or, with a status of failure, is cut off. Follows a redirect to the same origin alone, and only
    one that keeps the request as it is.
    """

    def __init__(self, max_reply_bytes: int = MAX_REPLY_BYTES, **options: Any) -> None:
        super().__init__(headers={"Accept-Encoding": "gzip"}, **options)
        self._max_reply_bytes = max_reply_bytes

    async def send(
        self, request: httpx2.Request, *, stream: bool = False, **options: Any
    ) -> httpx2.Response:
        """The reply, read whole whether or not `stream` asks for that."""
        del stream
        options["follow_redirects"] = False
        for _ in range(_MOST_REDIRECTS):
            response = await super().send(request, stream=True, **options)
            try:
                if not 300 <= response.status_code < 400:
                    return await self._whole(response)
                request = _sent_on(request, response)
            finally:
                await response.aclose()
        raise _redirected(f"{_MOST_REDIRECTS} times in a row, at last", str(request.url))

    async def _whole(self, response: httpx2.Response) -> httpx2.Response:
        failed = response.status_code >= 400
        most = min(self._max_reply_bytes, MAX_ERROR_BYTES) if failed else self._max_reply_bytes
        body = await _read(response, most)
        if len(body) > most and not failed:
            raise _unreadable(f"the reply is longer than {most:,} bytes")
        headers = [
            (name, value)
            for name, value in response.headers.multi_items()
            if name.lower() not in _ABOUT_THE_BODY
        ]
        whole = type(response)(
            response.status_code, headers=headers, content=body[:most], request=response.request
        )
        # As JSON has it, whatever the endpoint says: some names are of no encoding of text.
        whole.encoding = "utf-8"
        return whole


async def _read(response: httpx2.Response, most: int) -> bytes:
    """The body, decompressed; of a longer one than `most` somewhat more than that."""
    body, inflater, came = bytearray(), _inflater(response), 0
    async for piece in response.aiter_raw():
        came += len(piece)
        for plain in inflater.pieces(piece):
            body += plain
            if len(body) > most:
                return bytes(body)
        if came > most:  # what inflates to nothing may go on for ever too
            raise _unreadable(f"the reply is longer than {most:,} bytes")
    return bytes(body)


class _Plain:
    def pieces(self, data: bytes) -> Iterator[bytes]:
        yield data


class _Inflater:
    """Inflates a little at a time: a piece of 64 kB may hold 64 MB."""

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(_GZIP_OR_ZLIB)

    def pieces(self, data: bytes) -> Iterator[bytes]:
        try:
            while plain := self._zlib.decompress(data, _PIECE):
                yield plain
                data = self._zlib.unconsumed_tail
        except zlib.error as error:
            raise _unreadable("the reply is compressed and damaged") from error


def _inflater(response: httpx2.Response) -> _Plain | _Inflater:
    # In messages as it came: in other letters a key that stands in it would not be found.
    encoding = response.headers.get("content-encoding", "").strip()
    if encoding.lower() in ("", "identity"):
        return _Plain()
    if encoding.lower() in ("gzip", "x-gzip", "deflate"):
        return _Inflater()
    raise _unreadable(f"the reply is compressed as {encoding!r}, which was not asked for")


def _sent_on(request: httpx2.Request, response: httpx2.Response) -> httpx2.Request:
    """The request once more, to the address that a redirect names. Raises `ReplyRefused` where it
    is of another origin, or the redirect would have another request."""
    try:
        target = urljoin(str(request.url), response.headers.get("location", ""))
        same_origin = _origin(target) == _origin(str(request.url))
    except ValueError:
        target, same_origin = "", False
    problem = _redirected(f"with status {response.status_code}", target)
    if not same_origin or response.status_code not in _SAME_REQUEST:
        raise problem
    try:
        return type(request)(
            request.method,
            target,
            headers=request.headers,
            content=request.content,
            extensions=request.extensions,
        )
    except Exception as error:  # the library's own, where it takes the address for none
        raise problem from error


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname, parts.port or usual


def _redirected(how: str, target: str) -> ReplyRefused:
    where = shown_address(target) or "an address that is none"
    problem = (
        f"the endpoint sends on to {where} ({how}), which is not followed; "
        "if that is where the model is, give that address instead"
    )
    return ReplyRefused(Failure("redirect", problem, "final"))


def _unreadable(problem: str) -> ReplyRefused:
    return ReplyRefused(Failure("bad_response", problem))
