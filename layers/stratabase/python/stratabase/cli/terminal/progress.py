"""Shows how far a long job is: line by line in a log, or as a bar on one line of a terminal."""

import sys
import time
from collections.abc import Callable

from stratabase.wording import pluralize

INTERVAL = 2.0
"""Seconds from one line about the progress to the next."""
_WIDTH = 30
"""Characters of a full bar."""

PrintLines = Callable[..., None]
"""Prints its arguments, each a line, for the person at the terminal."""


class ProgressLines:
    """Prints a line at the beginning of a job that a start waits for, and one from time to time."""

    def __init__(self, title: str, total: int, print_lines: PrintLines) -> None:
        """`total`: the number of objects to look at; for 0, nothing is printed."""
        self._title = title
        self._total = total
        self._print_lines = print_lines
        self._due = time.monotonic() + INTERVAL
        self.done = 0
        """The number of objects looked at so far."""
        if total:
            print_lines(f"{title}: {pluralize(total, 'object')} to check before Stratabase serves the model.")

    def __call__(self, objects: int) -> None:
        """Count as many more objects as looked at."""
        self.done += objects
        if time.monotonic() >= self._due:
            share = min(100, 100 * self.done // max(1, self._total))
            self._print_lines(f"{self._title}: {share}% ({self.done:,} of {self._total:,} objects)")
            self._due = time.monotonic() + INTERVAL


class ProgressBar:
    """Draws a bar on one line of a terminal; where the output goes elsewhere, prints the end only."""

    def __init__(self, title: str, total: int) -> None:
        self._title = title
        self._total = total
        self._done = 0

    def __call__(self, objects: int) -> None:
        """Count as many more objects as looked at."""
        self._done += objects
        if sys.stderr.isatty():
            share = min(1.0, self._done / self._total) if self._total else 1.0
            filled = "#" * int(share * _WIDTH)
            print(f"\r{self._title} [{filled:<{_WIDTH}}] {self._done:,}", end="", file=sys.stderr)

    def end(self, outcome: str) -> None:
        """Print that the job is done, with its outcome."""
        back = "\r" if sys.stderr.isatty() else ""
        print(f"{back}{self._title}: {outcome} (checked {pluralize(self._done, 'object')})")
