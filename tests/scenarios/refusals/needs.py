"""Data that several tests of refusals use."""

from typing import Any

PERSON: dict[str, Any] = {
    "last_name": "new",
    "team": "<red>",
    "skills": ["<sing>"],
    "contract": {"starts_on": "2020-01-31"},
    "phones": [{"digits": "1"}],
}
"""The required data of a new person."""

DATE = "Use the format dd/MM/yyyy (for example, 31/12/2020) or ISO 8601 (for example, 2020-12-31)."
"""The message for a text that is not a date."""
NULL = "null is not allowed. Use true or false, or remove the field."
"""The message for null in a filter on the presence of a value."""


def nested(levels: int) -> dict[str, Any]:
    """Return a filter with a number of nested levels."""
    found: dict[str, Any] = {"height___eq": 1}
    for _ in range(levels):
        found = {"NOT": found}
    return found
