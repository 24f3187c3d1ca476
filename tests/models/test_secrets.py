"""What counts as a secret, and that no part of one is left."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from memorycode.models.secrets import (
    HIDDEN,
    Secrets,
    environment_secrets,
    secret_headers,
    secrets_in,
    shown,
)


def test_each_secret_is_removed_the_longest_first() -> None:
    secrets = Secrets(["sk-0123456789", "Bearer sk-0123456789-long", " ", ""])

    assert secrets.removed_from("sk-0123456789-long, sk-0123456789.") == f"{HIDDEN}, {HIDDEN}."


def test_a_placeholder_for_a_key_is_no_secret() -> None:
    assert Secrets(["EMPTY", "no-key"]).removed_from("EMPTY = no-key") == "EMPTY = no-key"


@pytest.mark.parametrize("name", ["Authorization", "X-Api-Key", "auth_token", "Cookie", "apiKey"])
def test_what_is_named_as_a_secret_is_hidden_however_deep(name: str) -> None:
    body: JsonValue = {"provider": [{name: "0123456789"}], "top_k": 5}

    assert shown(body) == {"provider": [{name: HIDDEN}], "top_k": 5}
    assert secrets_in(body) == ["0123456789"]


@pytest.mark.parametrize("name", ["max_completion_tokens", "tokenizer", "X-Project"])
def test_other_values_are_shown(name: str) -> None:
    assert shown({name: "0123456789"}) == {name: "0123456789"}


@pytest.mark.parametrize("name", ["X_API_KEY", "XAPIKEY", "hf_token", "TOKEN", "Client_Secret"])
def test_the_environments_usual_names_hold_secrets(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, " 0123456789abcd\n")
    assert "0123456789abcd" in environment_secrets()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X_API_KEY", "none"),
        ("X_TOKEN", "localdevelopment"),
        ("X_SECRET", "no-key-here"),
        ("MAX_TOKENS", "0123456789abcd"),
        ("TOKENIZERS_PARALLELISM", "0123456789abcd"),
        ("SECRET_PATH", "0123456789abcd"),
    ],
)
def test_words_and_other_variables_are_none(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    assert value not in environment_secrets()


def test_a_header_may_be_secret_by_its_looks() -> None:
    headers = {"X-Session": "f81d4fae-7dec", "X-Title": "My 1st project", "Accept": "text/html"}
    assert secret_headers(headers) == ["f81d4fae-7dec"]


def test_what_only_resembles_an_escape_is_left_alone() -> None:
    secrets = Secrets(["abc/defgh+ijk"])
    for text in (r"C:\users %d 100% \u12 \\", "%41%zz", "abc%2fdefgh+ij", "\\" * 5000):
        assert secrets.removed_from(text) == text


def test_no_text_takes_time_without_end() -> None:
    """Backslashes in a row, which many ways of escaping may share, are not tried in all ways."""
    secrets = Secrets(["\\\\\\\\\\\\abc"])
    text = "\\" * 200_000 + r"\u0061" * 10_000
    assert HIDDEN not in secrets.removed_from(text)
    assert secrets.removed_from("\\" * 50_000 + "\\" * 6 + "abc").endswith(HIDDEN)


def test_its_text_for_people_shows_none() -> None:
    assert "0123456789" not in f"{Secrets(['sk-0123456789'])!r}"


@pytest.mark.parametrize(
    "value", ["ApiKey sk-0123456789ab", "Key  sk-0123456789ab", 'a=1; session="sk-0123456789ab"']
)
def test_the_secret_in_a_header_is_one_without_what_stands_around_it(value: str) -> None:
    name = "Cookie" if "session" in value else "Authorization"
    secrets = Secrets(secret_headers({name: value}))
    assert secrets.removed_from("you sent sk-0123456789ab") == f"you sent {HIDDEN}"


@pytest.mark.parametrize(
    "written",
    [
        "sk%252b0123%252F4567",
        "sk&#43;0123&#x2F;4567",
        "sk&#x002b;0123&#047;4567",
        r"sk\x2b0123/4567",
        r"sk\\u002b0123\/4567",
    ],
)
def test_a_secret_is_seen_through_every_escape(written: str) -> None:
    assert Secrets(["sk+0123/4567"]).removed_from(f"<{written}>") == f"<{HIDDEN}>"


def test_what_the_environment_holds_by_now_is_secret_too(monkeypatch: pytest.MonkeyPatch) -> None:
    before = Secrets(["sk-0123456789"])
    monkeypatch.setenv("LATE_API_KEY", "late-0123456789")
    assert before.removed_from("late-0123456789") == "late-0123456789"
    assert before.with_environment().removed_from("late-0123456789 sk-0123456789").split() == [
        HIDDEN,
        HIDDEN,
    ]
