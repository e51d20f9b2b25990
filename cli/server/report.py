"""What a worker tells the process that started it."""

import json
from dataclasses import asdict, dataclass
from enum import Enum
from io import RawIOBase
from typing import Any


class News(Enum):
    """What a worker can have to tell."""

    CHANGED = "changed"
    """What is different in the model that it read."""
    PROGRESS = "progress"
    """How far it is with what must be built before it serves."""
    FAILED = "failed"
    """It cannot serve; the lines say why."""
    READY = "ready"
    """It serves; the lines are for a person who starts the service."""
    LEFT = "left"
    """It takes no more requests than it has."""
    ALIVE = "alive"
    """Its event loop turns: the answer to a probe."""


@dataclass(frozen=True, slots=True)
class Report:
    """One thing that a worker tells."""

    news: News
    lines: tuple[str, ...] = ()
    once: tuple[str, ...] = ()
    """What must be shown whatever else is, since nothing will tell it again."""
    left: tuple[str, ...] = ()
    """What is left for the person to do, shown last, whatever else is."""


def tell(reports: RawIOBase, report: Report) -> None:
    """Write a report as one line."""
    line = json.dumps({**asdict(report), "news": report.news.value}).encode() + b"\n"
    while line:
        line = line[reports.write(line) or 0 :]


def from_bytes(line: bytes) -> Report:
    """Return the report that a line holds."""
    fields: dict[str, Any] = json.loads(line)
    return Report(News(fields["news"]), *(tuple(fields[name]) for name in ("lines", "once", "left")))
