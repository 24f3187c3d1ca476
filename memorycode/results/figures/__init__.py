"""The numbers of every table and figure, a module for each; what draws or prints them is elsewhere.

`memorycode.results.figures.catalogue` has them by name.
"""
