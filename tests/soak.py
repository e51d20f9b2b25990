"""How often the races, kills and random histories run: a little in `make test`, fully in `make soak`."""

import os

FULL = os.environ.get("STRATABASE_SOAK") == "1"


def count(small: int, full: int) -> int:
    """Return how often something is done in this run."""
    return full if FULL else small


def seed() -> int:
    """Return this run's seed; conftest makes it and prints it, so that the run can be had again."""
    return int(os.environ["STRATABASE_SEED"])


EXAMPLES = count(50, 2000)
"""Hypothesis examples per property."""
