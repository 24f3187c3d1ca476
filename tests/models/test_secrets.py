"""What counts as a secret, and that no part of one is left."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from memorycode.models.secrets import HIDDEN, Secrets, secrets_in, shown


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
