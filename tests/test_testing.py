"""The base class for tests of one's own strategy: a test per check, and failures that read well."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from memorycode.conformance.checks import CHECKS

_MEMORY = '''
from memorycode.protocols import Passage, Recall


class Lump:
    """Recalls one text that cannot be cut anywhere."""

    oracle, ask_after = False, "last"

    def __init__(self, context):
        self.text = ""

    def observe(self, session):
        self.text += session.text.replace("\\n", " ")

    def recall(self, query):
        return Recall.from_text(self.text)
'''
_TEST = """
from memorycode.testing import StrategyContract


class TestLump(StrategyContract):
    spec = "lump:Lump"


class TestNothing(StrategyContract):
    spec = "no_memory"
    timeout = 100
"""


def test_each_check_is_a_test_and_what_fails_says_what_was_seen(tmp_path: Path) -> None:
    (tmp_path / "lump.py").write_text(_MEMORY)
    (tmp_path / "test_lump.py").write_text(_TEST)
    command = [sys.executable, "-m", "pytest", "-v", "-rfs", "-p", "no:cacheprovider", "."]
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "COLUMNS": "300"}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # only what a user has to have
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, cwd=tmp_path, env=environment
    )
    assert done.returncode == 1, done.stdout + done.stderr
    for check in CHECKS:
        assert f"test_contract[{check.name}]" in done.stdout
    assert "AssertionError: lump:Lump: budget: " in done.stdout
    assert "and the cut at whole passages and paragraphs leaves nothing" in done.stdout
    # bad_model is skipped for both: neither asks a model. The control is not asked to recall
    # something, and so there is nothing to compare.
    skipped = 2 + 1 + sum(check.compares for check in CHECKS)
    passed = 2 * len(CHECKS) - 1 - skipped
    assert f"1 failed, {passed} passed, {skipped} skipped" in done.stdout
