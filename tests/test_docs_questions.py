"""The page about questions shows the plans that the planner takes, and what they cost."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest.mock import patch

import pytest

from benchmarks.question_rows import BY_BOTH, BY_EMAIL, BY_GRANT, QUESTIONS, Answer, Clinic, table
from stratabase.core.store.query import semi_join
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.repository import ROOT

PAGE = ROOT / "docs" / "questions.md"
SMALL = 400
"""Appointments. The page has 10,000."""
CONSTANT = 20
"""Read units of the most expensive question whose cost does not depend on the number of objects."""


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clinic]:
    engine = SqliteEngine(tmp_path_factory.mktemp("store") / "objects.db")
    yield Clinic(engine, SMALL)
    engine.close()


def cells(lines: Sequence[str]) -> list[list[str]]:
    return [[cell.strip() for cell in line.split(" | ")] for line in lines]


def test_the_table_shows_the_plans_and_costs_of_the_questions(clinic: Clinic) -> None:
    """Plans that give up among 10,000 appointments also do so here, and scans cost less."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    first = lines.index("| page of | filter | as | plan | round trips | read units |")
    documented = cells(lines[first : first + 2 + len(QUESTIONS)])
    with patch.object(semi_join, "MAX_OWNERS", 100):
        found = cells(list(table(clinic)))
    assert [row[:4] for row in found] == [row[:4] for row in documented]
    for (*_, trips, units), (*_, documented_trips, documented_units) in zip(
        found[2:], documented[2:], strict=True
    ):
        if _number(documented_units) <= CONSTANT:
            assert (trips, units) == (documented_trips, documented_units)
        else:
            assert _number(units) <= _number(documented_units)


def _number(cell: str) -> float:
    return float(cell.rstrip(" |").replace(",", ""))


def test_the_cost_of_two_appointments_does_not_grow_with_their_number(clinic: Clinic, tmp_path: Path) -> None:
    engine = SqliteEngine(tmp_path / "objects.db")
    fewer = Clinic(engine, SMALL // 10)
    for question in (BY_EMAIL, BY_GRANT, BY_BOTH):
        costs: list[Answer] = [each.ask(question) for each in (fewer, clinic)]
        assert costs[0].cost == costs[1].cost
    engine.close()
