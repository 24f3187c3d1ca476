"""Prices are found by the name a model goes by, and a user's own go first."""

from __future__ import annotations

from pathlib import Path

import pytest

from memorycode.errors import UsageError
from memorycode.prices import PRICES_VARIABLE, Price, load_prices
from memorycode.protocols import Usage


def test_every_packaged_price_says_when_and_where() -> None:
    prices = load_prices().models
    assert len(prices) >= 12
    for name, price in prices.items():
        assert price.as_of.startswith("20"), name
        assert price.source, name
        assert price.input <= price.output, name
        assert price.cached_input is None or price.cached_input <= price.input, name


@pytest.mark.parametrize(
    "name",
    [
        "gpt-4o-mini",
        "openai/gpt-4o-mini",
        "openai/openai/gpt-4o-mini",
        "langchain/openai:gpt-4o-mini",
        "openai/gpt-4o-mini-2024-07-18",
    ],
)
def test_a_model_is_found_by_what_its_endpoint_calls_it(name: str) -> None:
    prices = load_prices()
    assert prices.of(name) == prices.models["gpt-4o-mini"]


@pytest.mark.parametrize("name", ["ideal-mentee", "openai/tiny", "openai/gpt-4o-mini-tuned", ""])
def test_an_unknown_model_has_no_price(name: str) -> None:
    assert load_prices().of(name) is None


def test_cached_tokens_of_the_prompt_have_their_own_price() -> None:
    price = Price(input=10, cached_input=1, output=100)
    usage = Usage(prompt_tokens=1_000_000, cached_tokens=400_000, completion_tokens=10_000)
    assert price.dollars(usage) == pytest.approx(6 + 0.4 + 1)
    without = price.model_copy(update={"cached_input": None})
    assert without.dollars(usage) == pytest.approx(10 + 1)


def test_no_more_tokens_are_cached_than_there_are() -> None:
    price = Price(input=10, cached_input=1, output=0)
    assert price.dollars(Usage(prompt_tokens=1_000_000, cached_tokens=5_000_000)) == 1


def test_files_of_ones_own_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named, given = tmp_path / "named.toml", tmp_path / "given.toml"
    named.write_text('as_of = "2026-01-01"\n[models.tiny]\ninput = 1\noutput = 2\n')
    given.write_text(
        "[models.tiny]\ninput = 3\noutput = 4\n[models.gpt-5]\ninput = 0\noutput = 0\n"
    )
    monkeypatch.setenv(PRICES_VARIABLE, str(named))
    assert load_prices().of("openai/tiny") == Price(input=1, output=2, as_of="2026-01-01")
    prices = load_prices(given)
    assert prices.of("openai/tiny") == Price(input=3, output=4)
    assert prices.of("openai/gpt-5") == Price(input=0, output=0)
    assert prices.of("openai/gpt-4o") is not None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("models = 3", "models: want a table"),
        ("[models.tiny]\ninput = 1", "models.tiny.output: missing"),
        ("[models.tiny]\ninput = -1\noutput = 1", "models.tiny.input: want 0 or more"),
        ("[models.tiny]\ninput = nan\noutput = 1", "models.tiny.input"),
        ("[models.tiny]\ninput = 1\noutput = 1\nper = 'hour'", "models.tiny.per: unknown key"),
        ("[models", "not TOML"),
    ],
)
def test_a_wrong_file_is_named_with_what_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(text)
    with pytest.raises(UsageError, match=message) as raised:
        load_prices(file)
    assert "prices.toml" in str(raised.value)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no\.toml: cannot be read"):
        load_prices(tmp_path / "no.toml")
