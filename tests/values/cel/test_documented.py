"""The expressions page documents every function and limit."""

from stratabase.core.model.model_expressions import CALLER_FIELDS
from stratabase.core.model.types import TYPES
from stratabase.values.cel.expression import FUNCTIONS, MAX_STEPS
from stratabase.values.cel.grammar import MAX_EXPRESSION_DEPTH
from stratabase.values.cel.names import MAX_ROLES
from stratabase.values.cel.parser import MAX_EXPRESSION_LENGTH
from stratabase.values.formats.regex import MAX_REGEX_LENGTH
from tests.repository import ROOT
from tests.rows import each_row

PAGE = (ROOT / "docs/expressions.md").read_text(encoding="utf-8")


@each_row("name", FUNCTIONS)
def test_each_function_is_documented(name: str) -> None:
    assert f"{name}(" in PAGE


@each_row("name", [*CALLER_FIELDS, *TYPES])
def test_each_caller_field_and_each_type_is_documented(name: str) -> None:
    assert f"`{name}`" in PAGE or f"{name}, " in PAGE


@each_row("limit", [MAX_EXPRESSION_LENGTH, MAX_STEPS, MAX_EXPRESSION_DEPTH, MAX_ROLES, MAX_REGEX_LENGTH])
def test_each_limit_is_documented(limit: int) -> None:
    assert f" {limit:,} " in PAGE or f" {limit:,}." in PAGE or f" {limit:,}\n" in PAGE
