"""Fresh interpreters for the strategy under check, so that one that hangs can be ended."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time

from memorycode.plugin_process import end_process

_BETWEEN_LOOKS = 1.0

_BOOT = (
    "import json, sys; sys.path[:] = json.loads(sys.stdin.readline()); "
    "from importlib import import_module; import_module(sys.argv[1]).main()"
)
"""The first line of its input is the import path, so that it finds what this process finds."""


def start_python(module: str, **environment: str) -> subprocess.Popen[str]:
    """Start ``main()`` of a module with pipes for its input and output, in a group of its own."""
    process = subprocess.Popen(
        [sys.executable, "-c", _BOOT, module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env=os.environ | environment,
        start_new_session=True,
    )
    tell(process, json.dumps(sys.path))
    return process


def tell(process: subprocess.Popen[str], line: str) -> None:
    """Write one line to its input; one that has ended no longer hears it."""
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.write(line + "\n")
        process.stdin.flush()


def end(process: subprocess.Popen[str]) -> None:
    """End it at once, with the processes that it started."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()


# ── in the interpreter that was started ───────────────────────────────────────────────────────


def own_output() -> int:
    """A file descriptor of this process's output; what others print goes to standard error."""
    output = os.dup(1)
    os.dup2(2, 1)
    return output


def end_with_parent() -> None:
    """Have this process end once the one that started it is gone, killed perhaps, and not before:
    a Ctrl-C is that one's business."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_outlive_no_parent, args=(os.getppid(),), daemon=True).start()


def _outlive_no_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_BETWEEN_LOOKS)
    end_process(1)
