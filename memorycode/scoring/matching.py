"""Does a name match a rule's regular expression? The one place where patterns meet names."""

from __future__ import annotations

import re
from functools import lru_cache

from memorycode.rules import CASE_PATTERNS
from memorycode.scoring.parsing import quiet

# The release's pattern for CamelCase nests one star in another, and backtracks exponentially. Read
# as a language it is short: a capital, then nothing, or anything that does not open with a capital
# (each later capital follows a small letter or digit, which may open a group).
_LINEAR = {CASE_PATTERNS["camel"]: r"^[A-Z](?:[a-z\d][A-Za-z\d]*)?$"}


def match_name(pattern: str, name: str) -> bool:
    """Whether `pattern` matches at the start of `name`, as `re.match` has it.

    Raises `re.error` for a pattern that does not compile.
    """
    return _compiled(pattern).match(name) is not None


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    with quiet():
        return re.compile(_LINEAR.get(pattern, pattern))
