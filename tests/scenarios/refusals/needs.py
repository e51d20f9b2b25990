"""What several tests of refusals need."""

from typing import Any

PERSON: dict[str, Any] = {
    "last_name": "new",
    "team": "<red>",
    "skills": ["<sing>"],
    "contract": {"starts_on": "2020-01-31"},
    "phones": [{"digits": "1"}],
}
"""What must be given of a new person."""

DATE = "give it as dd/MM/yyyy (such as 31/12/2020), or in ISO 8601 (2020-12-31)"
"""What is said of a text that is no date."""
NULL = "give true or false, or leave the field out"
"""What is said of null where a filter asks whether there is a value."""


def nested(levels: int) -> dict[str, Any]:
    """Return a filter of so many levels."""
    found: dict[str, Any] = {"height___eq": 1}
    for _ in range(levels):
        found = {"NOT": found}
    return found
