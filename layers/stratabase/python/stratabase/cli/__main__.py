"""The entry point of the process of a command: `stratabase`, or `python -m stratabase.cli`."""

import sys

from stratabase.cli.main import main
from stratabase.terminal.processes import rare_garbage_collection


def run() -> int:
    """Run a command in a process of its own, and return its exit code."""
    with rare_garbage_collection():
        return main()


if __name__ == "__main__":
    sys.exit(run())
