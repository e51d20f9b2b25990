"""How often races, kills and random histories run: briefly in `make test`, fully in `make soak`."""

import os
from collections.abc import Iterable

import pytest

FULL = os.environ.get("STRATABASE_SOAK") == "1"


def count(small: int, full: int) -> int:
    """Return the number of repetitions in this run."""
    return full if FULL else small


def mostly(values: Iterable[object], *rare: str) -> list[object]:
    """Return parameters, of which the named ones run only in `make soak`, because others cover the same."""
    names = ((getattr(value, "name", getattr(value, "__name__", value)), value) for value in values)
    return [
        pytest.param(value, marks=pytest.mark.thorough) if name in rare else value for name, value in names
    ]


def seed() -> int:
    """Return the seed of this run. conftest chooses and prints it, so that a run can be repeated."""
    return int(os.environ["STRATABASE_SEED"])


EXAMPLES = count(15, 1200)
"""Hypothesis examples per property."""
