"""Texts of stored values, and which attribute types have a value with each text."""

from typing import Any

READ_BY = {
    "5": {"Int", "Real", "Year", "Serial"},
    "-7": {"Int", "Real"},
    "0": {"Int", "Real", "Year"},
    "2020": {"Int", "Real", "Year", "Serial"},
    "2147483648": {"Real", "Serial"},
    "05": set[str](),
    "-0": set[str](),
    "1.5": {"Real"},
    "1.50": set[str](),
    "2.5E+40": {"Real"},
    "true": {"Boolean"},
    "false": {"Boolean"},
    "True": set[str](),
    "2020-01-31": {"Date"},
    "2020-02-30": set[str](),
    "10:30:00.000": {"Time"},
    "10:30": set[str](),
    "2020-01-31T10:00:00.000Z": {"Datetime"},
    "2020-01-31T10:00:00Z": set[str](),
    "HAPPY": {"Mood"},
    "SAD": {"Mood"},
    "GLAD": set[str](),
    "plain text": set[str](),
}
"""By text: the types that have a value with exactly this text, besides String and Text, which have all."""
TYPE_NAMES = (
    "String",
    "Text",
    "Int",
    "Real",
    "Boolean",
    "Date",
    "Time",
    "Datetime",
    "Year",
    "Serial",
    "Mood",
    "File",
)
FILE = {
    "fileId": "f1",
    "name": "cv.pdf",
    "mimeType": "application/pdf",
    "size": 3,
    "uploadedOn": "2020-01-31T10:00:00.000Z",
}


def reads(type_: str, text: str) -> bool:
    """Return whether a type has a value with a text."""
    return type_ in {"String", "Text"} or type_ in READ_BY[text]


def stored(type_: str, text: str) -> Any:
    """Return how a type stores its value with a text."""
    if type_ in {"Int", "Year", "Serial"}:
        return int(text)
    return text == "true" if type_ == "Boolean" else text
