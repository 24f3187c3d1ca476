"""The command line. Thin: each command reads its options, calls the library and prints.

Heavy modules are imported inside the commands, so that `--help` is quick.
"""

from memorycode.cli.app import main

__all__ = ["main"]
