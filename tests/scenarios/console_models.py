"""A model that is hard for the console: 104 classes, one with 60 attributes, and cycles of every kind."""

import re

from tests.large_model import large_model

WIDE = 60
"""The number of attributes of the class `Survey`."""

_TYPES = ("String", "Int", "Real", "Date", "Datetime", "Boolean", "Time", "Year", "Text", "Stage0")
_BEGINNING = re.compile(r"^type ([A-Za-z]+)(\d*)(\s+@class\()?", re.MULTILINE)
"""The beginning of a class, up to the first argument of its `@class`."""

_CYCLES = """
"A tree: a class that leads to itself in both directions."
type Folder @unique(attributes: ["name"]) {
  name: String!
  parent: Folder @association(opposite: "children")
  children: [Folder!] @association(opposite: "parent")
  documents: [Document!] @composition(whole: "folder")
}
"A part that refers to others of its class, and to the whole of another."
type Document @class(exposed: true) {
  title: String!
  replaces: Document @association(opposite: "replaced_by", holds: true)
  replaced_by: Document @association(opposite: "replaces")
  seen_with: [Document!]
  original: Folder
  reviewers: [Person0!]
}
"Two classes that lead to each other, and need nothing of each other."
type Shortcut { name: String!  document: Document  survey: Survey @association(opposite: "shortcuts") }
"""


def console_model() -> str:
    """Return the text of the model. Its application is `Large`, and each class is in a group."""
    attributes = "\n".join(map(_attribute, range(WIDE - 1)))
    survey = f"""
"Many attributes, of every type."
type Survey {{
  title: String!
{attributes}
  shortcuts: [Shortcut!] @association(opposite: "survey")
}}
"""
    return _BEGINNING.sub(_with_group, large_model() + _CYCLES + survey)


def _with_group(beginning: re.Match[str]) -> str:
    """Return the beginning of a class with the argument `group`."""
    name, number, arguments = beginning.groups()
    group = f"Area {number}" if number else "Documents"
    return f'type {name}{number} @class(group: "{group}"{", " if arguments else ")"}'


def _attribute(number: int) -> str:
    """Return an attribute of the survey. Some have a description."""
    description = f'"What question {number} is about." ' if number % 7 == 0 else ""
    return f"  {description}question_{number:02}: {_TYPES[number % len(_TYPES)]}"
