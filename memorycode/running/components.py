"""The components of a run, which its settings only name: loaded where tasks are played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memorycode.embedders import load_embedder
from memorycode.embedding import PACKAGED
from memorycode.experiment import Experiment
from memorycode.models.secrets import Secrets
from memorycode.plugins import ModelPlugin, StrategyPlugin, check_plugins, load_scorers
from memorycode.prompts import PromptPack
from memorycode.protocols import Embedder, Model, Scorer
from memorycode.running.run_context import RunContext
from memorycode.scoring.rule_cache import WordingReader
from memorycode.tokens import token_counter


@dataclass(frozen=True)
class Components:
    """The plug-ins of an experiment, its models built, in its order, and what tasks share."""

    strategies: Sequence[StrategyPlugin]
    model_plugins: Sequence[ModelPlugin]
    models: Sequence[Model]
    context: RunContext


@dataclass(frozen=True)
class Plugins:
    """The plug-ins of an experiment, in its order, what embeds for them and what judges; no
    strategy and no model is built."""

    strategies: Sequence[StrategyPlugin]
    models: Sequence[ModelPlugin]
    embedder: Embedder
    scorers: Sequence[Scorer]


def load_plugins(experiment: Experiment) -> Plugins:
    """Import every plug-in that the experiment names, and see whether all that they need is there.

    Raises `UsageError` and `PluginError` for what is not.
    """
    found = Plugins(
        strategies=[StrategyPlugin.load(spec) for spec in experiment.strategies],
        models=[ModelPlugin.load(spec) for spec in experiment.models],
        embedder=load_embedder(experiment.embedder or PACKAGED),
        scorers=load_scorers(experiment.scorers),
    )
    check_plugins(found.strategies, found.models, found.embedder)
    return found


def load_components(experiment: Experiment, pack: PromptPack) -> Components:
    """Load every plug-in that the experiment names; `pack` has its prompts.

    Raises `UsageError` and `PluginError` for what cannot be found or built.
    """
    found = load_plugins(experiment)
    models = [plugin.build(experiment.model_options) for plugin in found.models]
    return Components(
        strategies=found.strategies,
        model_plugins=found.models,
        models=models,
        context=RunContext(
            pack,
            token_counter(),
            found.scorers,
            WordingReader(),
            found.embedder,
            experiment.seed,
            experiment.context_budget,
            experiment.context_limit,
            experiment.on_overflow,
            experiment.strategy_timeout,
            secrets=Secrets.known_to(*models),
        ),
    )
