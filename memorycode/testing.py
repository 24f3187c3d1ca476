"""A base class for the tests of a memory strategy of one's own, to be run by pytest."""

from __future__ import annotations

import unittest
from typing import Any, ClassVar

from memorycode.conformance.checks import CHECKS
from memorycode.conformance.finding import ConformanceCheck
from memorycode.conformance.kit import TIMEOUT, Kit
from memorycode.conformance.subject import Conditions


class StrategyContract:
    """The checks of `memorycode check`, a test each::

        class TestMyMemory(StrategyContract):
            spec = "my_package.memory:MyMemory"

    `spec` names the strategy as on the command line, so the class must stand in a module that can
    be imported. `model` and `embedder` are those of `memorycode check`, None its stand-ins;
    `timeout` is in seconds per check. The strategy runs in a process of its own, where it may hang.
    """

    spec: ClassVar[str]
    model: ClassVar[str | None] = None
    embedder: ClassVar[str | None] = None
    seed: ClassVar[int] = 0
    timeout: ClassVar[float] = TIMEOUT

    _kit: ClassVar[Kit]

    @classmethod
    def setup_class(cls) -> None:
        """Called by pytest."""
        conditions = Conditions(
            spec=cls.spec, model=cls.model, embedder=cls.embedder, seed=cls.seed
        )
        cls._kit = Kit(conditions, cls.timeout)

    @classmethod
    def teardown_class(cls) -> None:
        """Called by pytest."""
        cls._kit.close()

    def pytest_generate_tests(self, metafunc: Any) -> None:
        """Called by pytest: the checks become the parameters, their names the ids."""
        if "check" in metafunc.fixturenames:
            metafunc.parametrize("check", CHECKS, ids=[check.name for check in CHECKS])

    def test_contract(self, check: ConformanceCheck) -> None:
        """One check; a failure says what was seen."""
        finding = self._kit.find(check)
        if finding.outcome == "skipped":
            raise unittest.SkipTest(finding.saw)
        assert not finding.failed, f"{self.spec}: {check.name}: {finding.saw}"
