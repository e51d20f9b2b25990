"""The outcome of a command on the company: its result or its refusal."""

from typing import Any

from stratabase.core.domain.issues.refusals import Refused, Unavailable
from stratabase.core.store.engine.port import Engine
from tests.graphs.commands import do
from tests.graphs.company import COMPANY
from tests.graphs.stored_company import services_over
from tests.graphs.write_cases import WRITE_CASES


def answer_of(engine: Engine, name: str) -> Any:
    """Run a write case, and return its issues, `Unavailable`, or None if it succeeds."""
    try:
        do(services_over(engine, COMPANY), WRITE_CASES[name])
    except Refused as refusal:
        return refusal.issues
    except Unavailable:
        return Unavailable
    return None
