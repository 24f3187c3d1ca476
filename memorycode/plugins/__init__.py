"""From a name, or ``module:attribute``, to a factory. Nothing is imported before it is used.

`spec` has the form of a name with its parameters, `factories` finds what it stands for, `loading`
builds it.
"""

from memorycode.plugins.embedders import EmbedderPlugin
from memorycode.plugins.factories import (
    Factory,
    Group,
    Parameter,
    Target,
    installed,
    load_factory,
    parameters_of,
    source_of,
)
from memorycode.plugins.loading import (
    ModelPlugin,
    RetrieverPlugin,
    StrategyPlugin,
    check_plugins,
    options_lacking,
    validated,
)
from memorycode.plugins.scorers import CheckedScorer, ScorerPlugin, load_scorers
from memorycode.plugins.spec import Spec, parse_spec
from memorycode.plugins.traits import StrategyTraits

__all__ = [
    "CheckedScorer",
    "EmbedderPlugin",
    "Factory",
    "Group",
    "ModelPlugin",
    "Parameter",
    "RetrieverPlugin",
    "ScorerPlugin",
    "Spec",
    "StrategyPlugin",
    "StrategyTraits",
    "Target",
    "check_plugins",
    "installed",
    "load_factory",
    "load_scorers",
    "options_lacking",
    "parameters_of",
    "parse_spec",
    "source_of",
    "validated",
]
