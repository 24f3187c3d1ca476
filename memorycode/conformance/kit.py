"""The kit: a strategy is checked in a process of its own, so that it may hang or die there."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections.abc import Callable
from typing import Self

from memorycode.conformance.checks import CHECKS
from memorycode.conformance.finding import Conformance, ConformanceCheck, Finding
from memorycode.conformance.interpreter import end, start_python, tell
from memorycode.conformance.subject import Conditions
from memorycode.errors import PluginError, UsageError

TIMEOUT = 60.0
"""Seconds that a check may take unless the caller says otherwise."""

_SHORTEST_START = 60.0
"""Seconds in which a strategy must have been imported: heavy libraries take their time."""


class Kit:
    """Tries checks on one strategy; used in a ``with`` statement.

    A check that takes more than `timeout` seconds, or in which the process dies, has failed; the
    next one finds a fresh process.
    """

    def __init__(self, conditions: Conditions, timeout: float = TIMEOUT) -> None:
        self._conditions, self._timeout = conditions, timeout
        self._worker: _Worker | None = None
        self._found: dict[str, Finding] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def find(self, check: ConformanceCheck) -> Finding:
        """What a check sees; the essential ones are tried first.

        Raises `UsageError` or `PluginError` where the strategy cannot be found or imported.
        """
        if check.name not in self._found:
            self._found[check.name] = self._skipped(check) or self._try(check)
        return self._found[check.name]

    def _skipped(self, check: ConformanceCheck) -> Finding | None:
        before = CHECKS[: CHECKS.index(check)]
        for essential in (other for other in before if other.essential):
            if self.find(essential).failed:
                saw = f"not tried: {essential.name} failed"
                return Finding(name=check.name, tried=check.tried, outcome="skipped", saw=saw)
        return None

    def _try(self, check: ConformanceCheck) -> Finding:
        if self._worker is None:
            self._worker = _Worker(self._conditions, max(self._timeout, _SHORTEST_START))
        try:
            return Finding.model_validate_json(self._worker.ask(check.name, self._timeout))
        except TimeoutError:
            saw, seconds = (
                f"not done after {self._timeout:g} s: it hangs, or is slow",
                self._timeout,
            )
        except EOFError as error:
            saw, seconds = f"it ended the process ({error})", 0.0
        self.close()
        return Finding(
            name=check.name, tried=check.tried, outcome="failed", saw=saw, seconds=seconds
        )

    def close(self) -> None:
        """End the process; another question would start a new one."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None


class _Worker:
    """The process; what it says is read by a thread, so that it can be waited for in vain."""

    def __init__(self, conditions: Conditions, patience: float) -> None:
        self._process = start_python("memorycode.conformance.worker")
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            started = json.loads(self.ask(conditions.model_dump_json(), patience))
        except (TimeoutError, EOFError) as error:
            self.close()
            what = str(error) or f"not done after {patience:g} s"
            raise PluginError(f"{conditions.spec}: cannot be imported: {what}") from error
        if started["problem"]:
            self.close()
            raise (UsageError if started["is_usage"] else PluginError)(started["problem"])

    def ask(self, line: str, patience: float) -> str:
        """Its answer. Raises `TimeoutError`, or `EOFError` where the process has ended."""
        tell(self._process, line)
        try:
            answer = self._lines.get(timeout=patience)
        except queue.Empty:
            raise TimeoutError from None
        if not answer:
            raise EOFError(_ending(self._process))
        return answer

    def close(self) -> None:
        """End the process, whatever it does."""
        end(self._process)
        self._reader.join()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put("")


def _ending(process: subprocess.Popen[str]) -> str:
    status = process.wait()
    return f"signal {-status}" if status < 0 else f"exit status {status}"


def check_strategy(
    conditions: Conditions,
    timeout: float = TIMEOUT,
    told: Callable[[ConformanceCheck], object] | None = None,
) -> Conformance:
    """Try every check on a strategy; `told` hears of each before it is tried.

    Raises `UsageError` or `PluginError` where the strategy cannot be found or imported.
    """
    findings = []
    with Kit(conditions, timeout) as kit:
        for check in CHECKS:
            if told is not None:
                told(check)
            findings.append(kit.find(check))
    return Conformance(spec=conditions.spec, findings=tuple(findings))
