"""The page about expressions tells of every function and limit."""

from pathlib import Path

import pytest

from stratabase.model.expressions.caller import CALLER
from stratabase.model.expressions.expression import MOST_STEPS
from stratabase.model.expressions.functions import FUNCTIONS
from stratabase.model.expressions.grammar import DEEPEST
from stratabase.model.expressions.operators.names import FARTHEST
from stratabase.model.expressions.parsing import LONGEST
from stratabase.model.regex import LONGEST_PATTERN
from stratabase.model.types import TYPES

PAGE = (Path(__file__).parents[3] / "docs/expressions.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_function(name: str) -> None:
    assert f"{name}(" in PAGE


@pytest.mark.parametrize("name", [*CALLER, *TYPES])
def test_each_field_of_the_caller_and_each_type(name: str) -> None:
    assert f"`{name}`" in PAGE or f"{name}, " in PAGE


@pytest.mark.parametrize("limit", [LONGEST, MOST_STEPS, DEEPEST, FARTHEST, LONGEST_PATTERN])
def test_each_limit(limit: int) -> None:
    assert f" {limit:,} " in PAGE or f" {limit:,}." in PAGE or f" {limit:,}\n" in PAGE
