"""What the supervisor and a worker tell each other, as lines of JSON: orders and reports."""

import json
from dataclasses import asdict, dataclass
from enum import Enum
from io import RawIOBase
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Job:
    """Serve the functions of a template at an address."""

    template: Path
    address: str
    """The root of all addresses of the service, as this machine sees them."""
    previous_model: str | None = None
    """The text of the model that is served so far, if one is."""


@dataclass(frozen=True, slots=True)
class Orders:
    """The first line of a worker's standard input: its job, and the file descriptors that it inherits."""

    job: Job
    listener: int
    """The socket on which it serves."""
    reports: int
    """The pipe to which it writes its reports."""
    current_request: int
    """The memory in which it names the current request."""


class ReportKind(Enum):
    """What a worker reports."""

    MODEL_CHANGED = "model changed"
    """What is different in the model that it read."""
    PROGRESS = "progress"
    """How far it is with what must be built before it serves."""
    FAILED = "failed"
    """It cannot serve; the lines say why."""
    READY = "ready"
    """It serves; the lines are for a person who starts the service."""
    DRAINING = "draining"
    """It takes no more requests than it has."""
    ALIVE = "alive"
    """Its event loop turns: the answer to a probe."""


@dataclass(frozen=True, slots=True)
class WorkerReport:
    """A worker's report, with lines for the person at the terminal."""

    kind: ReportKind
    lines: tuple[str, ...] = ()
    shown_once: tuple[str, ...] = ()
    """Lines that must be shown whatever else is, since nothing will tell them again."""
    to_do: tuple[str, ...] = ()
    """What is left for the person to do, shown last, whatever else is."""


def orders_to_line(orders: Orders) -> bytes:
    """Return orders as a line."""
    return json.dumps(asdict(orders), default=str).encode() + b"\n"


def read_orders(line: bytes) -> Orders:
    """Return the orders that a line holds."""
    fields: dict[str, Any] = json.loads(line)
    job = fields.pop("job")
    return Orders(Job(Path(job["template"]), job["address"], job["previous_model"]), **fields)


def write_report(reports: RawIOBase, report: WorkerReport) -> None:
    """Write a report as one line."""
    line = json.dumps({**asdict(report), "kind": report.kind.value}).encode() + b"\n"
    while line:
        line = line[reports.write(line) or 0 :]


def read_report(line: bytes) -> WorkerReport:
    """Return the report that a line holds."""
    fields: dict[str, Any] = json.loads(line)
    return WorkerReport(
        ReportKind(fields["kind"]), *(tuple(fields[name]) for name in ("lines", "shown_once", "to_do"))
    )
