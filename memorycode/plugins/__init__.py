"""From a name, or ``module:attribute``, to a factory. Nothing is imported before it is used.

`spec` has the form of a name with its parameters, `factories` finds what it stands for, `loading`
builds it.
"""

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
    validated,
)
from memorycode.plugins.spec import Spec, parse_spec
from memorycode.plugins.traits import StrategyTraits

__all__ = [
    "Factory",
    "Group",
    "ModelPlugin",
    "Parameter",
    "RetrieverPlugin",
    "Spec",
    "StrategyPlugin",
    "StrategyTraits",
    "Target",
    "check_plugins",
    "installed",
    "load_factory",
    "parameters_of",
    "parse_spec",
    "source_of",
    "validated",
]
