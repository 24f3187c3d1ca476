"""Where an endpoint is and what opens it: given, or from the usual variables."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit

from memorycode.errors import UsageError
from memorycode.model_options import ModelOptions
from memorycode.models.secrets import secret_headers, secrets_in

KEY_VARIABLE = "OPENAI_API_KEY"
URL_VARIABLE = "OPENAI_BASE_URL"

MAX_REPLY_BYTES = 32 * 2**20
"""Of a reply's body, decompressed, unless told otherwise."""

_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_OFFICIAL_URL = "https://api.openai.com/v1"
_NO_KEY = "no-key"
"""Sent to endpoints that ask for none: the client insists on one."""


@dataclass(frozen=True)
class Endpoint:
    """`shown` is the address as people may see it, without a name and password in it; `variable`
    is the one that the key is looked for in."""

    url: str = field(repr=False)
    shown: str
    key: str = field(repr=False)
    variable: str
    headers: Mapping[str, str] = field(repr=False)

    @property
    def key_sent(self) -> str:
        return self.key or _NO_KEY

    @property
    def secrets(self) -> list[str]:
        """What must not be seen of it: the key, and what headers and the address hold."""
        return [self.key, *secret_headers(self.headers), *address_secrets(self.url)]


def find_endpoint(options: ModelOptions, api_key: str | None = None) -> Endpoint:
    """The endpoint that the options name. Raises `UsageError` where something of it is missing or
    malformed."""
    url = options.base_url or os.environ.get(URL_VARIABLE, "").strip()
    variable = options.key_variable or KEY_VARIABLE
    key = _checked_key(api_key or os.environ.get(variable, ""), variable)
    if not key and options.key_variable:
        raise UsageError(
            f"the variable {variable}, which is to hold the endpoint's key, is not set"
        )
    if not key and not url:
        raise UsageError(
            f"no key for OpenAI: set the variable {KEY_VARIABLE}, or {URL_VARIABLE} to the address "
            "of an endpoint of your own, such as http://localhost:8000/v1"
        )
    for name, value in options.headers.items():
        if not (_HEADER_NAME.fullmatch(name) and value.isascii() and value.isprintable()):
            raise UsageError(f"header {name!r}: it holds characters that no header has")
    url = url or _OFFICIAL_URL
    shown = _checked_address(url)
    return Endpoint(url=url, shown=shown, key=key, variable=variable, headers=options.headers)


def _checked_key(key: str, variable: str) -> str:
    """The key without space around it."""
    key = key.strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise UsageError(f"the key (variable {variable}) holds characters that no key has")
    return key


def _checked_address(url: str) -> str:
    """The address as it may be shown; raises `UsageError` where it is none."""
    shown = shown_address(url)
    if not shown:
        raise UsageError(
            f"the endpoint's address ({URL_VARIABLE}, base_url) is not of the form http://HOST/v1"
        )
    return shown


def shown_address(url: str) -> str:
    """The address without a name and password in it; empty where it is none of HTTP."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return ""
    # As it is written: Python's `hostname` is in small letters, in which no key would be found.
    at = parts.netloc.lower().rindex(parts.hostname)
    host = parts.netloc[at : at + len(parts.hostname)]
    return f"{parts.scheme}://{host}{port}{parts.path}"


def address_secrets(url: str) -> list[str]:
    """The secrets in an address: a name and password, as sent in a header too, and the parts of a
    query that are named as secrets."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return []
    held = [value for pair in parse_qsl(parts.query) for value in secrets_in(dict([pair]))]
    if parts.username is None and parts.password is None:
        return held
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    sent = base64.b64encode(f"{user}:{password}".encode()).decode()
    return [*held, password or user, f"{user}:{password}", sent]
