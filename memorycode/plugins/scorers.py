"""Scorers as plug-ins: named by a spec, and held to what a scorer is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import get_args

from memorycode.errors import PluginError, UsageError
from memorycode.plugin_faults import named, plugin_faults
from memorycode.plugins.loading import Plugin, blaming, built
from memorycode.protocols import Scorer, Verdict
from memorycode.rules import Rule
from memorycode.scoring.scorers import SCORER_NAMES, make_scorer

_VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
_LONGEST_NAME = 60
"""A name is part of a file's, where a character may take nine."""


@dataclass(eq=False)
class CheckedScorer:
    """A scorer of somebody else's. What it says is looked at before it is used or written down;
    `source` is the hash of the files that it is written in."""

    spec: str
    name: str
    revision: int
    source: str
    own: Scorer

    def judge(self, answer: str, rules: Sequence[Rule], elicited: Sequence[bool]) -> list[Verdict]:
        """One verdict per rule. Raises `PluginError` where the scorer raises, and where it says
        something else."""
        try:
            said = list(self.own.judge(answer, tuple(rules), tuple(elicited)))
        except plugin_faults() as error:
            raise PluginError(f"{self.spec}: judge() raised {named(error)}") from error
        if not all(type(verdict) is str and verdict in _VERDICTS for verdict in said):
            raise PluginError(f"{self.spec}: judge() returns any of {', '.join(_VERDICTS)}")
        if len(said) != len(rules):
            raise PluginError(
                f"{self.spec}: judge() gave {len(said)} verdicts on {len(rules)} rules"
            )
        return said


@dataclass(frozen=True)
class ScorerPlugin(Plugin):
    """A scorer that can be built."""

    @classmethod
    def load(cls, text: str) -> ScorerPlugin:
        return cls._load(text, "scorers", ",")

    def build(self) -> CheckedScorer:
        """Raises `PluginError` if the factory raises or builds something else."""
        text = self.spec.text
        scorer = built(text, self.factory, **self.own_values)
        with blaming(text, "cannot be used"):
            if not isinstance(scorer, Scorer):
                raise PluginError(
                    f"{text}: {type(scorer).__name__} is no Scorer: "
                    "it needs name, revision and judge()"
                )
            name, revision = scorer.name, scorer.revision
            if not (type(name) is str and _is_name(name)):
                raise PluginError(
                    f"{text}: name is {name!r}, want a word of at most {_LONGEST_NAME} characters"
                )
            if name in SCORER_NAMES:
                raise PluginError(f"{text}: name is {name!r}, which is memorycode's own")
            if type(revision) is not int or revision < 0:
                raise PluginError(f"{text}: revision is {revision!r}, want a whole number")
        return CheckedScorer(text, name, revision, self.source, scorer)


def load_scorers(specs: Iterable[str]) -> tuple[Scorer, ...]:
    """The scorers of these specs, in their order. Raises `UsageError` for two of one name."""
    found: dict[str, str] = {}
    scorers: list[Scorer] = []
    for spec in specs:
        scorer = _load_scorer(spec)
        if scorer.name in found:
            raise UsageError(
                f"{found[scorer.name]} and {spec} are both named {scorer.name}; "
                "name each scorer once, and give each a name of its own"
            )
        found[scorer.name] = spec
        scorers.append(scorer)
    return tuple(scorers)


def _load_scorer(spec: str) -> Scorer:
    """Ours are no plug-ins to themselves: their verdicts need no check, and tables need both
    whatever is installed."""
    for name in SCORER_NAMES:
        if spec == name:
            return make_scorer(name)
    return ScorerPlugin.load(spec).build()


def _is_name(name: str) -> bool:
    return name.isprintable() and name.strip() == name != "" and len(name) <= _LONGEST_NAME
