"""Where the tasks of a run are played: threads of this process, processes, or a Ray cluster.

One process has the run's folder, the meter and the plan: it asks, in one thread per task under
way, an *executor* to play the task, and writes down what comes back. Threads play it themselves;
other executors send a `TaskSpec`, which is data, to a `Worker` in another process.
"""

from memorycode.running.backends.backend import BACKENDS, Backend, Executor, make_backend

__all__ = ["BACKENDS", "Backend", "Executor", "make_backend"]
