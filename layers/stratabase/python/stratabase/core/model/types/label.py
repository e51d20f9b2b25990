"""The type of labels: short texts for people, which are made of values of any type."""

from collections.abc import Callable
from typing import Any

from stratabase.core.model.types.base import text_of
from stratabase.core.model.types.string import StringType
from stratabase.values.cel import kinds
from stratabase.values.formats.preferences import Formats

MAX_LABEL_CHARACTERS = 200


class LabelType(StringType):
    """The text of a value as it is stored: dates in ISO 8601, and the same for all members.

    Labels are computed at each read, and never stored. Their expressions can have values of any kind with a
    text.
    """

    kind = kinds.UNKNOWN

    def serializer(self, pattern: str, formats: Formats) -> Callable[[Any], Any]:
        """Return a function from stored values to labels."""
        del pattern, formats
        return label_text


def label_text(stored: Any) -> str | None:
    """Return the label of a stored value: its text, as long as a label can be. None for null."""
    text = text_of(stored)
    return None if text is None else text[:MAX_LABEL_CHARACTERS]
