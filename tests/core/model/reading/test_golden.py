"""A model with every kind of error is refused with all of them, each at its place.

The tests of `rules` have the cases that this model leaves out.
"""

import re
from pathlib import Path

import pytest

from stratabase.core.model.reading import InvalidModel, ModelError, read_model_file

MODELS = Path(__file__).parents[1] / "models"
MODEL = MODELS / "mistakes.graphql"
GOLDEN = MODELS / "mistakes.txt"
FEWEST_KINDS = 90


@pytest.fixture(scope="module")
def mistakes() -> tuple[ModelError, ...]:
    """The mistakes of one reading."""
    with pytest.raises(InvalidModel) as caught:
        read_model_file(MODEL)
    return caught.value.errors


def test_all_errors_are_reported_in_one_pass(mistakes: tuple[ModelError, ...]) -> None:
    """In the golden file, each error is followed by the text at its position."""
    lines = MODEL.read_text(encoding="utf-8").split("\n")
    found = []
    for one in mistakes:
        found.append(str(one).removeprefix(f"{MODEL}:"))
        found.append("      " + lines[one.line - 1][one.column - 1 :])
    assert "\n".join([*found, ""]) == GOLDEN.read_text(encoding="utf-8")


def test_the_golden_file_covers_many_kinds_of_errors(mistakes: tuple[ModelError, ...]) -> None:
    """The fixture shows mistakes of many kinds, not one kind many times."""
    kinds = {re.sub(r"[\w.\"'-]*[A-Z_.\"'0-9][\w.\"'-]*", "…", one.message) for one in mistakes}
    assert len(kinds) >= FEWEST_KINDS


def test_the_exception_lists_all_errors(mistakes: tuple[ModelError, ...]) -> None:
    """Printing the exception prints the list."""
    assert str(InvalidModel(mistakes)).split("\n") == [str(one) for one in mistakes]
