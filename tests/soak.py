"""How often races, kills and random histories run: briefly in `make test`, fully in `make soak`."""

import os
from collections.abc import Iterable

import pytest

FULL = os.environ.get("STRATABASE_SOAK") == "1"


def count(small: int, full: int) -> int:
    """Return how often something is done in this run."""
    return full if FULL else small


def mostly(values: Iterable[object], *rare: str) -> list[object]:
    """Return parameters of which those with such a name are for `make soak` alone: others prove the same."""
    names = ((getattr(value, "name", getattr(value, "__name__", value)), value) for value in values)
    return [
        pytest.param(value, marks=pytest.mark.thorough) if name in rare else value for name, value in names
    ]


def seed() -> int:
    """Return this run's seed; conftest makes it and prints it, so that the run can be had again."""
    return int(os.environ["STRATABASE_SEED"])


EXAMPLES = count(25, 2000)
"""Hypothesis examples per property."""
