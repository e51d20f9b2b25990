"""The messages between the supervisor and a worker: orders, and reports as lines of JSON."""

import json
from dataclasses import asdict
from enum import Enum
from io import RawIOBase
from pathlib import Path
from typing import Any

from stratabase.values.frozen import frozen


@frozen
class WorkerTask:
    """What a worker serves."""

    address: str
    """The base URL of the service for clients on this machine."""
    previous_model: str | None = None
    """The text of the model that the previous worker serves, or None."""
    number: int = 0
    """The number of the worker among those of its version. Worker 0 looks for jobs, and reports."""
    metrics: Path | None = None
    """The folder in which the workers keep their metrics, None for no metrics."""
    metrics_process: int = 0
    """The number of the worker among all that count metrics, which no other live worker has."""
    keeps_model: bool = False
    """Whether a model that needs a decision is not served until somebody decides."""
    kept_model: str | None = None
    """The text of the model to serve if the file has another one by now, None for that of the file."""


@frozen
class Orders:
    """The first message to a worker, on its standard input: its job and inherited file descriptors."""

    job: WorkerTask
    listener: int
    """The file descriptor of the socket on which the worker serves."""
    reports: int
    """The file descriptor of the pipe to which the worker writes reports."""
    current_request: int
    """The file descriptor of the shared memory for the name of the current request."""


class ReportKind(Enum):
    """The kind of a worker's report."""

    MODEL_CHANGED = "model changed"
    """The model differs from the previous one. The lines describe the changes."""
    COUNTED = "counted"
    """The lines say how many objects the changes of the model concern, while the worker serves."""
    PROGRESS = "progress"
    """The progress of what the worker must build before it serves."""
    FAILED = "failed"
    """The worker cannot serve. The lines say why."""
    PREPARED = "prepared"
    """The worker has loaded everything, and waits for the order to begin."""
    READY = "ready"
    """The worker serves. The lines are for the user who has started the service."""
    DRAINING = "draining"
    """The worker accepts no more requests, and finishes the pending ones."""
    ALIVE = "alive"
    """The answer to a probe, which shows that the event loop runs."""


class WorkerOrder(Enum):
    """What the supervisor tells a worker after the first line: one byte on its standard input."""

    PROBE = b"?"
    """Answer with ALIVE from the event loop."""
    BEGIN = b"!"
    """Accept requests."""
    STOP = b"."
    """Finish the pending requests and end, because the whole service stops."""


@frozen
class WorkerReport:
    """A report of a worker, with lines for the terminal."""

    kind: ReportKind
    lines: tuple[str, ...] = ()
    shown_once: tuple[str, ...] = ()
    """Lines that must always be shown, because they cannot be retrieved later, such as a new password."""
    to_do: tuple[str, ...] = ()
    """Lines with remaining tasks for the user, which are always shown last."""


def orders_to_line(orders: Orders) -> bytes:
    """Return orders as a line of JSON."""
    return json.dumps(asdict(orders), default=str).encode() + b"\n"


def read_orders(line: bytes) -> Orders:
    """Return the orders in a line of JSON."""
    fields: dict[str, Any] = json.loads(line)
    job = fields.pop("job")
    metrics = None if job["metrics"] is None else Path(job["metrics"])
    return Orders(WorkerTask(**{**job, "metrics": metrics}), **fields)


def write_report(reports: RawIOBase, report: WorkerReport) -> None:
    """Write a report as a line of JSON."""
    line = json.dumps({**asdict(report), "kind": report.kind.value}).encode() + b"\n"
    while line:
        line = line[reports.write(line) or 0 :]


def read_report(line: bytes) -> WorkerReport:
    """Return the report in a line of JSON."""
    fields: dict[str, Any] = json.loads(line)
    return WorkerReport(
        ReportKind(fields["kind"]), *(tuple(fields[name]) for name in ("lines", "shown_once", "to_do"))
    )
