"""A package with a memory strategy of one's own, to begin with."""

from memorycode.scaffold.package import write_package

__all__ = ["write_package"]
