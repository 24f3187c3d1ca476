"""What the public commands say of the recorded runs stays what it was, to the byte.

``tests/prove/frozen_outputs.py`` compares the published release's outputs too.
"""

from __future__ import annotations

import pytest

from tests.frozen.cases import of_fixtures, of_release
from tests.frozen.checking import check
from tests.frozen.renames import read_renames
from tests.frozen.store import RENAMED, frozen_files

CASES = [*of_fixtures()]
KINDS = sorted({case.name.partition("/")[0] for case in CASES})


@pytest.mark.parametrize("kind", KINDS)
def test_outputs_are_what_they_were(kind: str) -> None:
    cases = [case for case in CASES if case.name.startswith(f"{kind}/")]
    found = list(check(cases, read_renames(RENAMED)))
    assert not found, "\n".join(map(str, found[:20]))


def test_every_output_is_frozen_and_nothing_else() -> None:
    """A case that is taken away would leave its output unwatched."""
    assert frozen_files() == {case.file for case in (*CASES, *of_release())}
