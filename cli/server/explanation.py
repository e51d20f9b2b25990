"""Why a worker cannot serve, in the words that help the person who edits."""

import traceback
from pathlib import Path

from cli.fault import Fault

HERE = str(Path(__file__).parent.parent)


def explain(error: Exception) -> tuple[str, ...]:
    """Return lines that explain an error: errors of the model and faults as they are, others traced."""
    from stratabase.model.reading import InvalidModel  # noqa: PLC0415 - it takes a while, and is rarely needed

    if isinstance(error, InvalidModel):
        return tuple(str(each) for each in error.errors)
    if isinstance(error, Fault):
        return (str(error),)
    return _traced(error)


def _traced(error: Exception) -> tuple[str, ...]:
    """Return a traceback, without the frames that belong to the gateway or to Python's import."""
    trace = traceback.TracebackException.from_exception(error)
    kept = [frame for frame in trace.stack if not _is_ours(frame.filename)]
    trace.stack = traceback.StackSummary.from_list(kept)
    return tuple("".join(trace.format()).rstrip().splitlines())


def _is_ours(file: str) -> bool:
    return file.startswith((HERE, "<frozen"))
