"""Prints what the person at the terminal should see: reports of workers, and errors in words that help."""

import sys
import traceback
from pathlib import Path

from stratabase.cli.server.messages import ReportKind, WorkerReport
from stratabase.cli.terminal.command_error import CommandError

_CLI = str(Path(__file__).parent.parent)
"""The folder whose frames no traceback shows: how the server is made helps nobody who edits a function."""


class Console:
    """Prints what goes as it should to the standard output, and what does not to the standard error."""

    def say(self, *lines: str) -> None:
        """Print what goes as it should."""
        print(*lines, sep="\n", flush=True)

    def warn(self, *lines: str) -> None:
        """Print what does not."""
        print(*lines, sep="\n", file=sys.stderr, flush=True)

    def show(self, report: WorkerReport) -> None:
        """Print all of a worker's report."""
        if report.shown_once:
            self.say(*report.shown_once, "")
        if report.kind is ReportKind.FAILED:
            self.warn(*report.lines)
        elif report.lines:
            self.say(*report.lines)
        if report.to_do:
            self.say(*report.to_do)


def explain_error(error: Exception) -> tuple[str, ...]:
    """Return lines that explain why a worker cannot serve.

    Errors of the model and CommandErrors come as they are. Others come as a traceback, without the frames of
    the server and of Python's import.
    """
    from stratabase.model.reading import InvalidModel  # noqa: PLC0415 - it takes a while, and is rarely needed

    if isinstance(error, InvalidModel):
        return tuple(str(each) for each in error.errors)
    if isinstance(error, CommandError):
        return (str(error),)
    trace = traceback.TracebackException.from_exception(error)
    shown = [frame for frame in trace.stack if not frame.filename.startswith((_CLI, "<frozen"))]
    trace.stack = traceback.StackSummary.from_list(shown)
    return tuple("".join(trace.format()).rstrip().splitlines())
