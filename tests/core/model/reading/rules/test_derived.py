"""Derived attributes have valid paths and expressions, and no cycles."""

from collections.abc import Callable

from stratabase.core.model.model import Model
from tests.rows import each_row

WORLD = """
type Team @class(platform: [CREATED_ON]) {
  name: String size: Int founded: Date budget: Real open: Boolean logo: File colour: Colour
  members: [Person!] @association(opposite: "team") lead: Person desks: [Desk!] @composition(whole: "team")
}
type Person { name: String age: Int team: Team @association(opposite: "members") }
type Desk { number: Int }
enum Colour { RED }
type A { x: Int team: Team teams: [Team!] """
CASES = {
    "an aggregate of an expression": (
        'y: Int @derived(expression: "x", aggregate: ¦SUM)',
        "An aggregate needs a path, not an expression.",
    ),
    "an empty path": ('y: Int @derived(path: ¦"")', "path can't be empty."),
    "a derived serial number": (
        'y: ¦Serial @derived(expression: "x")',
        "A.y is derived, so it can't be numbered by Stratabase.",
    ),
    "an unknown role": (
        'y: Int @derived(path: "¦taem.size")',
        'A has no attribute or role "taem". Did you mean "team"?',
    ),
    "an unknown attribute at the end of a path": (
        'y: Int @derived(path: "team.¦sise")',
        'Team has no attribute or role "sise". Did you mean "size"?',
    ),
    "an error position in a text with escapes": (
        r'y: Int @derived(path: ¦"t\u0065am.sise")',
        'Team has no attribute or role "sise". Did you mean "size"?',
    ),
    "spaces in a path": (
        'y: Int @derived(path: "¦team .size")',
        'A has no attribute or role "team ". Did you mean "team"?',
    ),
    "a path that ends with a role": (
        'y: String @derived(path: ¦"team.lead")',
        "team.lead is a role. Continue the path to an attribute of Person, or use COUNT.",
    ),
    "a path to an attribute of the same class": (
        'y: Int @derived(path: ¦"x")',
        "x is an attribute of the class itself, not of a role. Use an expression.",
    ),
    "a count over a to-one path": (
        'y: Int @derived(path: "team", aggregate: ¦COUNT)',
        "COUNT needs many values, but no role of this path leads to many.",
    ),
    "the maximum of Booleans": (
        'y: Boolean @derived(path: "teams.open", aggregate: ¦MAX)',
        "MAX needs a type with an order, but Team.open is Boolean.",
    ),
    "a count as a String": (
        'y: ¦String @derived(path: "team.members", aggregate: COUNT)',
        'A.y is String, but its path gives Int. Did you mean "Int"?',
    ),
    "an average as an Int": (
        'y: ¦Int @derived(path: "teams.size", aggregate: AVG)',
        'A.y is Int, but its path gives Real. Did you mean "Real"?',
    ),
    "a dependency on itself": ('y: Int @derived(expression: ¦"y + 1")', "A.y depends on itself: A.y -> A.y."),
    "a cycle of two attributes": (
        'y: Int @derived(expression: ¦"x + z") z: Int @derived(expression: "x - y")',
        "A.y depends on itself: A.y -> A.z -> A.y.",
    ),
}
FINE = (
    'y: Int @derived(path: "team.size")',
    'y: Colour @derived(path: "team.colour")',
    'y: Datetime @derived(path: "team._createdon")',
    'y: Int @derived(path: "teams", aggregate: COUNT)',
    'y: Int @derived(path: "teams.members.team.logo", aggregate: COUNT)',
    'y: Date @derived(path: "teams.founded", aggregate: MIN)',
    'y: Real @derived(path: "teams.size", aggregate: SUM)',
    'y: Real @derived(path: "teams.budget", aggregate: AVG)',
    'y: Int @derived(path: "team.desks.team.size", aggregate: SUM)',
    'y: String @derived(expression: "\'y\' + \\"y\\" + string(x) + team.name")',
)


@each_row(("written", "message"), CASES.values())
def test_invalid_derived_attributes_are_refused(
    complains: Callable[..., None], written: str, message: str
) -> None:
    complains(WORLD + written + " }", message)


@each_row("written", FINE)
def test_valid_derived_attributes_are_accepted(reads: Callable[[str], Model], written: str) -> None:
    assert reads(WORLD + written + " }").classes
