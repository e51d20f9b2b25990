"""The published directives are those of the code."""

from stratabase.core.model.model import Action, ClassKind, DefaultAccess, PlatformAttribute
from stratabase.core.model.reading.draft.directives import language
from stratabase.core.model.types.operators import Aggregate
from stratabase.values.folding import FOLDINGS


def test_enums_are_those_of_the_model() -> None:
    assert language().enumerations == {
        "ClassKind": tuple(name for name in ClassKind.__members__ if name != "USERS"),
        "PlatformAttribute": tuple(PlatformAttribute.__members__),
        "Action": tuple(Action.__members__),
        "Access": tuple(DefaultAccess.__members__),
        "Aggregate": tuple(Aggregate.__members__),
        "TextComparison": ("EXACT", *(each.name for each in FOLDINGS)),
    }


def test_definitions_are_parsed_as_written() -> None:
    grant = language().directives["grant"]
    assert (grant.locations, grant.repeatable) == (("OBJECT", "FIELD_DEFINITION"), True)
    allow = grant.parameters["allow"]
    assert (allow.type, allow.many, allow.required, allow.spelling) == ("Action", True, True, "[Action!]!")
    assert language().directives["class"].parameters["kind"].default == "ORDINARY"
    assert not language().directives["class"].repeatable
