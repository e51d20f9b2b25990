"""Functions for whole processes: they end a child when its parent dies, and set limits."""

import gc
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

_PR_SET_PDEATHSIG = 1
"""From <linux/prctl.h>."""
_COLLECTION_THRESHOLDS = (50_000, 10, 10)
"""The numbers of new objects, and of collections, after which Python collects each generation."""


@contextmanager
def rare_garbage_collection() -> Iterator[None]:
    """Collect garbage rarely while a process runs, and not at its end.

    A start creates hundreds of thousands of objects that live as long as the process. With Python's
    defaults, it would search them for garbage many times, which takes about a third of the time of a start.
    At the end, the kernel frees the memory faster.
    """
    gc.set_threshold(*_COLLECTION_THRESHOLDS)
    try:
        yield
    finally:
        gc.freeze()  # so that Python does not search them when it ends


def allow_many_files() -> None:
    """Let this process and its children open as many files as the system allows.

    Each connection is an open file. On many systems, a process has 1024 of them unless it asks for more.
    """
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - Windows doesn't have it

    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):  # on macOS, the kernel's own limit can be lower
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def end_with_parent(parent: int, number: signal.Signals = signal.SIGKILL) -> None:
    """Make the kernel send a signal to this process when its parent dies. `parent` is the parent's id.

    This has an effect on Linux only. The kernel watches the thread that started this process, not the whole
    parent, so the parent must start it in its main thread.
    """
    if sys.platform != "linux":
        return
    try:
        import ctypes  # noqa: PLC0415 - a Python may be built without it

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)
    except (ImportError, OSError, AttributeError):
        return
    if os.getppid() != parent:
        # The parent died before `prctl` took effect.
        os.kill(os.getpid(), number)


def tie_to_parent(command: Sequence[str], number: signal.Signals) -> list[str]:
    """Return a command line that runs `command`, and sends it a signal when this process dies.

    Outside of the main thread, it returns the command unchanged, because the kernel would treat the end of
    that thread as the end of this process.
    """
    if sys.platform != "linux" or threading.current_thread() is not threading.main_thread():
        return list(command)
    return [
        sys.executable,
        "-P",
        "-m",
        "stratabase.terminal.processes",
        str(os.getpid()),
        str(int(number)),
        *command,
    ]


def main() -> int:
    """Tie this process to its parent, and execute the command in the arguments in its place."""
    parent, number, *command = sys.argv[1:]
    end_with_parent(int(parent), signal.Signals(int(number)))
    try:
        os.execvp(command[0], command)  # noqa: S606 - the parent's own command
    except OSError as error:
        print(f"Running {command[0]} failed: {error.strerror}.", file=sys.stderr)
        return 127


if __name__ == "__main__":
    sys.exit(main())
