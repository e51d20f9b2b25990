"""The progress of a long task: as lines in a log, or as a bar on one line of a terminal."""

import sys
import time
from collections.abc import Callable

from stratabase.wording import pluralize

INTERVAL = 2.0
"""The seconds between two lines of progress."""
_WIDTH = 30
"""The characters of a full bar."""

PrintLines = Callable[..., None]
"""A function that prints each of its arguments as a line for the user."""


class ProgressLines:
    """Progress as lines: one at the start of a task that delays serving, and then one every few seconds."""

    def __init__(self, title: str, total: int, print_lines: PrintLines) -> None:
        """`total` is the number of objects to check. If it is 0, nothing is printed."""
        self._title = title
        self._total = total
        self._print_lines = print_lines
        self._due = time.monotonic() + INTERVAL
        self.done = 0
        """The number of objects checked so far."""
        if total:
            print_lines(f"{title}: {pluralize(total, 'object')} to check before Stratabase serves the model.")

    def __call__(self, objects: int) -> None:
        """Add a number of objects to those checked so far, and update the display."""
        self.done += objects
        if time.monotonic() >= self._due:
            share = min(100, 100 * self.done // max(1, self._total))
            self._print_lines(f"{self._title}: {share}% ({self.done:,} of {self._total:,} objects)")
            self._due = time.monotonic() + INTERVAL


class ProgressBar:
    """Progress as a bar on one line of a terminal. Without a terminal, it prints only the result."""

    def __init__(self, title: str, total: int) -> None:
        self._title = title
        self._total = total
        self._done = 0

    def __call__(self, objects: int) -> None:
        """Add a number of objects to those checked so far, and update the display."""
        self._done += objects
        if sys.stderr.isatty():
            share = min(1.0, self._done / self._total) if self._total else 1.0
            filled = "#" * int(share * _WIDTH)
            print(f"\r{self._title} [{filled:<{_WIDTH}}] {self._done:,}", end="", file=sys.stderr)

    def end(self, outcome: str) -> None:
        """Print the outcome at the end of the task."""
        back = "\r" if sys.stderr.isatty() else ""
        print(f"{back}{self._title}: {outcome} (checked {pluralize(self._done, 'object')})")
