"""Where the tasks of a run are played: threads of this process, processes, or a Ray cluster.

One process has the run's folder, the meter and the plan: it asks, in one thread per task under
way, a *crew* to play the task, and writes down what comes back. Threads play it themselves; other
crews send a `Unit`, which is data, to a `Stage` in another process.
"""

from memorycode.running.backends.backend import BACKENDS, Backend, Crew, make_backend

__all__ = ["BACKENDS", "Backend", "Crew", "make_backend"]
