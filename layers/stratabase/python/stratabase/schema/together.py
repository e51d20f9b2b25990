"""Several steps of reading a request, so that all that is wrong is told at once."""

from collections.abc import Callable
from typing import Any

from stratabase.domain.issue import Issue
from stratabase.domain.refusal import Refused


def together(*steps: Callable[[], Any]) -> list[Any]:
    """Return what each step returns. Raises Refused with all that any of them refuses."""
    results: list[Any] = []
    issues: list[Issue] = []
    for step in steps:
        try:
            results.append(step())
        except Refused as refusal:
            issues += refusal.issues
    if issues:
        raise Refused(issues)
    return results
