"""Examples of the values of each attribute type, for tests of all types. A new type needs a row."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from stratabase.core.domain.files.stored_file import StoredFile
from stratabase.core.model.types import TYPES
from stratabase.core.model.types.base import AttributeType
from stratabase.core.model.types.enumeration import EnumType
from tests.fakes import NOON


class Examples(NamedTuple):
    """Examples of one type."""

    stored: Sequence[Any]
    """Different stored values, in their order."""
    refused: Sequence[Any]
    """JSON values that are not values of the type."""


_TEXTS = ["", "+42", "-0", "042", "1.5", "1.50", "2020", "2020-12-31", "42", "A", "X", "a", "true", "é"]
EXAMPLES: Mapping[str, Examples] = {
    "String": Examples(_TEXTS, [1, True, "\ud800"]),
    "Text": Examples(["", "18:30:00", "1E+40", "2020-12-31T18:30:00.000Z", "9999999999", "X"], [1, [], {}]),
    "Int": Examples([-(2**31), -1, 0, 42, 2020, 10000, 2**31 - 1], [2**31, 1.5, "x", True]),
    "Real": Examples(["-7", "0", "1.5", "42", "2020", "99999999999", "2.5E+40"], ["x", True, "1" * 39]),
    "Boolean": Examples([False, True], [0, "true"]),
    "Date": Examples(["0001-01-01", "2020-12-31"], ["2020-02-30", "2020", 1]),
    "Time": Examples(["00:00:00.000", "18:30:00.000"], ["24:00", "18", 18]),
    "Datetime": Examples(
        ["0001-01-01T00:00:00.000Z", "2020-12-31T18:30:00.000Z", "2020-12-31T18:30:00.001Z"],
        ["2020-12-31", "x", 0],
    ),
    "Year": Examples([0, 2020, 9999], [-1, 10000, "x"]),
    "Serial": Examples([1, 42, 9999, 10**12], ["x", True, 2**63]),
    "File": Examples(
        [StoredFile(f"f{name}", name, "image/png", 3, NOON).stored() for name in ("", "a", "b")],
        ["a.png", {}, {"name": "a.png"}],
    ),
    "E": Examples(["X", "Y"], ["Z", 1]),
    "F": Examples(["X", "Z"], ["Y", 1]),
}
"""By type. E and F are enums."""
ALL_TYPES: Mapping[str, AttributeType] = {
    **TYPES,
    "E": EnumType("E", ["X", "Y"]),
    "F": EnumType("F", ["X", "Z"]),
}
