"""The numbers of every table and figure, a module for each; what draws or prints them is elsewhere.

`memorycode.analysis.series.catalogue` has them by name.
"""
