"""The model language: `directives.graphql`, with the scalars of types, the constraints and the aggregates.

Editors read the text beside a model, and `reading` takes the directives from it.
"""

from collections.abc import Iterator, Mapping
from importlib.resources import files

from stratabase.core.model.constraints import CONSTRAINTS
from stratabase.core.model.types import TYPES
from stratabase.core.model.types.operators import Aggregate

_SCALARS = "# The scalars of the attribute types stand here.\n"
_AGGREGATES = "# The aggregates stand here.\n"
_RESTRICTIONS = "# The directives with the constraints stand here.\n"
_DIRECTIVES: Mapping[str, str] = {
    "domain": "The values that an attribute accepts.",
    "file": "The files that an attribute accepts.",
}
"""By directive whose arguments are those of constraints: its description."""


def language_text() -> str:
    """Return the definitions of all scalars, directives and enums that a model can use."""
    text = files("stratabase.core.model").joinpath("directives.graphql").read_text(encoding="utf-8")
    for place, definitions in (
        (_SCALARS, _scalars()),
        (_RESTRICTIONS, _restrictions()),
        (_AGGREGATES, _aggregates()),
    ):
        text = text.replace(place, "\n".join(definitions))
    return text


def _scalars() -> Iterator[str]:
    for name, type_ in TYPES.items():
        if type_.model_description is not None:
            yield f'"{type_.model_description}"\nscalar {name}\n'


def _aggregates() -> Iterator[str]:
    values = "".join(f"  {each.value}\n" for each in Aggregate)
    yield f'"A function that makes one value of many."\nenum Aggregate {{\n{values}}}\n'


def _restrictions() -> Iterator[str]:
    for directive, description in _DIRECTIVES.items():
        # Two constraints can share an argument, each for its types.
        arguments = {
            name: f'  "{argument.description}"\n  {name}: {argument.type}\n'
            for each in CONSTRAINTS
            if each.directive == directive
            for name, argument in each.arguments.items()
        }
        head = f'"{description}"\ndirective @{directive}(\n'
        yield f"{head}{''.join(arguments.values())}) on FIELD_DEFINITION\n"
