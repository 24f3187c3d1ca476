"""The tables of the docs that follow from the code are those that the code makes."""

from __future__ import annotations

import pytest

from tests.docs.write_tables import ROOT, TABLES, with_table


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_the_docs_is_true(name: str) -> None:
    page, make = TABLES[name]
    text = (ROOT / page).read_text(encoding="utf-8")
    assert text == with_table(text, name, make()), "run make docs"
