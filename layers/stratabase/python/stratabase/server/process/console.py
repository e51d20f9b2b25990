"""Output to the terminal: reports of workers, and explanations of errors."""

import errno
import os
import sys
import traceback
from collections.abc import Sequence
from typing import TextIO

from stratabase.server.process.messages import ReportKind, WorkerReport
from stratabase.terminal.command_error import as_command_error
from stratabase.terminal.wrong_package import wrong_package


class Console:
    """The terminal. Normal messages go to standard output, and problems to standard error."""

    def __init__(self, *, only_errors: bool = False) -> None:
        """`only_errors`: print all to standard error, because a program reads standard output."""
        self._only_errors = only_errors

    def say(self, *lines: str) -> None:
        """Print normal messages."""
        self._print(lines, sys.stderr if self._only_errors else sys.stdout)

    def warn(self, *lines: str) -> None:
        """Print lines to standard error."""
        self._print(lines, sys.stderr)

    def _print(self, lines: Sequence[str], stream: TextIO) -> None:
        try:
            print(*lines, sep="\n", file=stream, flush=True)
        except OSError as error:
            if error.errno == errno.EIO:
                # The terminal was closed. The signal of that stops the service, but may come later.
                self.detach()
            elif error.errno == errno.EPIPE:
                # A program that read the stream has ended, such as a log collector. The service goes on.
                _discard(stream)
            # Otherwise, the lines are lost, such as on a full disk.

    def detach(self) -> None:
        """Print nothing from now on, because the terminal was closed."""
        _discard(sys.stdout, sys.stderr)

    def show(self, report: WorkerReport) -> None:
        """Print all lines of a worker's report."""
        if report.shown_once:
            self.say(*report.shown_once, "")
        if report.kind is ReportKind.FAILED:
            self.warn(*report.lines)
        elif report.lines:
            self.say(*report.lines)
        if report.to_do:
            self.say(*report.to_do)


def _discard(*streams: TextIO) -> None:
    """Discard what is printed to streams from now on."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def explain_error(error: Exception) -> tuple[str, ...]:
    """Return lines that explain why a worker cannot serve.

    Errors that a person can fix explain themselves. Other exceptions become a traceback without the frames of
    Python's import system.
    """
    explained = wrong_package(error) or as_command_error(error)
    if explained is not None:
        return tuple(str(explained).splitlines())
    trace = traceback.TracebackException.from_exception(error)
    shown = [frame for frame in trace.stack if not frame.filename.startswith("<frozen")]
    trace.stack = traceback.StackSummary.from_list(shown)
    return tuple("".join(trace.format()).rstrip().splitlines())
