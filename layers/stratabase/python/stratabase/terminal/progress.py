"""The progress of a long task: as lines in a log, or as a bar on one line of a terminal."""

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from stratabase.values.wording import pluralize

INTERVAL = 2.0
"""The seconds between two lines of progress."""
_WIDTH = 30
"""The characters of a full bar."""
_REFRESH = 0.1
"""The seconds between two updates of a bar."""
_MEGABYTE = 1_000_000

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
    """Progress as a bar on one line of a terminal. Without a terminal, it is a line every few seconds."""

    def __init__(self, title: str, total: int, noun: str = "object") -> None:
        """`total`: 0 if it is unknown. `noun`: for what is counted."""
        self._title = title
        self._total = total
        self._noun = noun
        self._done = 0
        self._due = time.monotonic() + INTERVAL
        if sys.stderr.isatty():
            self._draw()

    def __call__(self, objects: int) -> None:
        """Add a number of objects to those checked so far, and update the display."""
        self._done += objects
        if sys.stderr.isatty():
            self._draw()
        elif time.monotonic() >= self._due:
            self._due = time.monotonic() + INTERVAL
            print(f"{self._title}: {self._count()}", file=sys.stderr, flush=True)

    def _draw(self) -> None:
        share = min(1.0, self._done / self._total) if self._total else 1.0
        filled = "#" * int(share * _WIDTH) if self._done else ""
        print(f"\r{self._title} [{filled:<{_WIDTH}}] {self._count()}", end="", file=sys.stderr, flush=True)

    def _count(self) -> str:
        if not self._total:
            return pluralize(self._done, self._noun)
        share = min(100, 100 * self._done // self._total)
        return f"{share}% ({self._done:,} of {pluralize(self._total, self._noun)})"

    def clear(self) -> None:
        """Remove the bar at the end of a task whose outcome is printed elsewhere."""
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def end(self, outcome: str) -> None:
        """Print the outcome at the end of the task."""
        self.clear()
        print(f"{self._title}: {outcome} (checked {pluralize(self._done, self._noun)})")


class StepBars:
    """The bars of a task with several steps, of which one is shown at a time. Use it as a context manager."""

    def __init__(self) -> None:
        self._bar: ProgressBar | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.clear()

    def begin(self, title: str) -> Callable[[int], None]:
        """Show a bar for the next step, and return the function that takes its progress."""
        self.__exit__()
        self._bar = ProgressBar(title, 0)
        return self._bar


class TransferBar:
    """Progress of a file in bytes: a bar on one line of a terminal, or a line every few seconds elsewhere."""

    def __init__(self, title: str, size: int) -> None:
        """`size` is the size of the file in bytes."""
        self._title = "".join(each if each.isprintable() else "?" for each in title)
        self._size = size
        self._start: int | None = None
        self._started = self._due = time.monotonic()
        self._line_due = self._started + INTERVAL

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """End the line of the bar."""
        if self._start is not None and sys.stderr.isatty():
            print(file=sys.stderr)

    def show(self, done: int) -> None:
        """Show how many bytes of the file are transferred. The first call says where this run begins."""
        if self._start is None:
            self._start = done
        now = time.monotonic()
        if not sys.stderr.isatty():
            if now >= self._line_due:
                self._line_due = now + INTERVAL
                print(f"{self._title}: {self._numbers(done, now).lstrip()}", file=sys.stderr, flush=True)
            return
        if now < self._due and done < self._size:
            return
        self._due = now + _REFRESH
        share = min(1.0, done / self._size) if self._size else 1.0
        filled = "#" * int(share * _WIDTH)
        numbers = self._numbers(done, now)
        print(f"\r{self._title} [{filled:<{_WIDTH}}] {numbers}  ", end="", file=sys.stderr, flush=True)

    def _numbers(self, done: int, now: float) -> str:
        share = min(1.0, done / self._size) if self._size else 1.0
        rate = (done - (self._start or 0)) / max(now - self._started, 0.001) / _MEGABYTE
        return f"{share:4.0%} of {self._size / _MEGABYTE:,.1f} MB, {rate:,.1f} MB/s"


def print_note(text: str) -> None:
    """Print a line about a long task to standard error, below its bar."""
    print(f"\n{text}" if sys.stderr.isatty() else text, file=sys.stderr)
