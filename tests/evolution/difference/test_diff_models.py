"""The changes of a model are listed with exact texts, and each question counts the right objects."""

from typing import Any

from stratabase.core.model.reading import read_model
from stratabase.core.model.types.base import EVERY_VALUE
from stratabase.evolution.difference import Severity, diff_models, with_former_default
from stratabase.evolution.difference.questions import Question, links_name
from stratabase.evolution.difference.type_changes import readable_values
from tests.attribute_values import ALL_TYPES, EXAMPLES
from tests.evolution.difference.case_file import DiffCase, read_cases
from tests.rows import each_row

CASES = list(read_cases())
HEAD = 'extend schema @application(name: "Hr") @profile(name: "Boss", administrator: true)\n'


@each_row("case", CASES)
def test_a_change_has_its_exact_texts(case: DiffCase) -> None:
    """`python -m tests.evolution.difference.case_file` writes them anew."""
    assert case.actual() == case.expected


def test_the_table_has_at_least_80_changes_of_every_severity() -> None:
    assert len(CASES) >= 80
    assert len({case.name for case in CASES}) == len(CASES)
    for severity in Severity:
        assert any(case.expected.startswith(severity.value) for case in CASES)


@each_row("case", CASES)
def test_a_model_does_not_differ_from_itself(case: DiffCase) -> None:
    for text in (case.old, case.new):
        assert diff_models(read_model(text, "m"), read_model(text, "m")) == []


def test_the_former_default_of_profiles_is_a_change() -> None:
    """Before `access`, a profile that no grant named could do everything."""
    text = (
        'extend schema @application(name: "Hr") @profile(name: "Boss", administrator: true) '
        '@profile(name: "Clerk") @profile(name: "Guest") @profile(name: "Agent", access: READ)\n'
        'type A @grant(profile: "Guest", allow: [READ]) { x: Int }'
    )
    model = read_model(text, "m")

    changes = diff_models(with_former_default(model), model)

    assert [str(change) for change in changes] == [
        "profile Clerk: access: NONE, was FULL",
        "profile Agent: access: READ, was FULL",
    ]
    assert {change.severity for change in changes} == {Severity.DECISION}
    assert changes[0].why == "Its members may do nothing, because no @grant names the profile."
    assert changes[0].to_do == "If this is not meant, write `access: FULL` at the profile."


@each_row("old", ALL_TYPES)
@each_row("new", ALL_TYPES)
def test_types_say_what_they_read_of_other_types(old: str, new: str) -> None:
    read = [ALL_TYPES[new].read_stored(value) is not None for value in EXAMPLES[old].stored]
    readable = readable_values(ALL_TYPES[old], ALL_TYPES[new])

    assert (readable == EVERY_VALUE) == all(read)
    assert (readable is None) == (not any(read)) or (old in {"String", "Text"} and readable is not None)


@each_row(
    ("old", "new", "expected"),
    [
        ("Int", "Serial", "numbers from 1"),
        ("Int", "Year", "numbers from 0 to 9999"),
        ("Real", "Int", "whole numbers from -2147483648 to 2147483647"),
        ("Real", "Serial", "whole numbers from 1"),
        ("Serial", "Year", "numbers up to 9999"),
        (
            "String",
            "Int",
            'whole numbers from -2147483648 to 2147483647 such as "42", but not "042" or "+42"',
        ),
        ("Text", "Time", 'times such as "18:30:00.000"'),
        ("String", "E", "the values X, Y"),
        ("F", "E", "X"),
    ],
)
def test_what_a_type_reads_is_said(old: str, new: str, expected: str) -> None:
    assert readable_values(ALL_TYPES[old], ALL_TYPES[new]) == expected


def test_bounds_of_types_without_a_common_value_are_compared() -> None:
    old = read_model(f'{HEAD} type A {{ x: Date @domain(min: "2020-01-01") }}', "m")
    new = read_model(f'{HEAD} type A {{ x: Real @domain(min: "1.5") }}', "m")
    assert [str(change) for change in diff_models(old, new)] == [
        'A.x: domain tightened: min "1.5", was "2020-01-01"',
        "A.x: type Real, was Date",
    ]


A = {"_id": "1"}
COUNTED: dict[str, tuple[str, str, list[dict[str, Any]], int]] = {
    "a value that is removed": ("x: Int y: Int", "y: Int", [A, {**A, "x": None}, {**A, "x": 0}], 1),
    "no value where one is required": ("x: Int", "x: Int!", [A, {**A, "x": None}, {**A, "x": 0}], 2),
    "no value where a default is shown": (
        "x: Int",
        'x: Int @default(value: "1")',
        [A, {**A, "x": None}, {**A, "x": 0}],
        1,
    ),
    "a value that the new type does not read": (
        "x: String",
        "x: Int",
        [A, {**A, "x": "7"}, {**A, "x": "07"}, {**A, "x": "seven"}],
        2,
    ),
    "a number where a text is read": ("x: Int", "x: Date", [A, {**A, "x": 7}], 1),
    "a value outside the new domain": (
        "x: Int",
        'x: Int @domain(max: "5")',
        [A, {**A, "x": 5}, {**A, "x": 6}, {**A, "x": "of another type"}],
        1,
    ),
    "a key of a removed role": ("x: Int b: B", "x: Int", [A, {**A, "b": "2"}], 1),
    "several parts": (
        "p: [P!] @composition",
        "p: P @composition",
        [A, {**A, "p": []}, {**A, "p": ["1"]}, {**A, "p": ["1", "2"]}],
        1,
    ),
    "several links": ("b: [B!]", "b: B", [{**A, links_name("b"): number} for number in (0, 1, 2)], 1),
    "several links of which one has moved": (
        "b: [B!]",
        "b: B",
        [{**A, "b": "1", links_name("b"): 1}, {**A, "b": "1", links_name("b"): 0}, {**A, links_name("b"): 1}],
        1,
    ),
    "a key that has become a link": (
        "b: B",
        "b: [B!]",
        [{**A, "b": "1", links_name("b"): 0}, {**A, links_name("b"): 1}, {**A, links_name("b"): 0}],
        2,
    ),
    "no links": ("b: [B!]", "b: [B!]!", [{**A, links_name("b"): number} for number in (0, 1, 2)], 1),
}


@each_row("name", COUNTED)
def test_a_question_counts_the_objects_that_the_change_concerns(name: str) -> None:
    old, new, states, expected = COUNTED[name]
    rest = "type B { z: Int } type P { z: Int }"
    question = _question(f"type A {{ z: Int {old} }} {rest}", f"type A {{ z: Int {new} }} {rest}")
    tally = question.tally()
    for state in states:
        tally.see("A", state)
    tally.finish()
    assert (tally.count, tally.total) == (expected, len(states))


def test_repeated_values_count_from_the_second_object_on_and_nulls_never() -> None:
    question = _question("type A { x: Int }", 'type A @unique(attributes: ["x"]) { x: Int }')
    tally = question.tally()
    for value in (1, 1, 1, 2, None, None):
        tally.see("A", {"_id": "1", "x": value})
    assert (tally.count, tally.total) == (2, 6)


def test_several_associations_are_counted_wherever_the_key_is() -> None:
    """A key can have moved to the other side for one of several objects."""
    old = 'type A { x: Int b: [B!] @association(opposite: "a") } type B { a: A @association(opposite: "b") }'
    new = (
        'type A { x: Int b: B @association(opposite: "a", holds: true) } '
        'type B { a: A @association(opposite: "b") }'
    )
    question = _question(old, new)
    assert set(question.scanned) == {"A", "B"}
    for first, keys in (({}, ["1", "1"]), ({"b": "2"}, ["1"]), ({"b": "2"}, [None])):
        tally = question.tally()
        tally.see("A", {"_id": "1", **first})
        tally.see("A", {"_id": "2", "b": "9"})
        for id_, key in enumerate(keys):
            tally.see("B", {"_id": str(id_), "a": key})
        tally.finish()
        assert (tally.count, tally.total) == (1 if any(keys) else 0, 2)


def test_objects_that_no_key_refers_to_are_counted_from_both_classes() -> None:
    old = (
        'type A { b: B @association(opposite: "as") } type B { x: Int as: [A!] @association(opposite: "b") }'
    )
    question = _question(old, old.replace("[A!]", "[A!]!"))
    assert set(question.scanned) == {"A", "B"}
    tally = question.tally()
    for id_ in "123":
        tally.see("B", {"_id": id_})
    tally.see("A", {"_id": "9", "b": "2"})
    tally.see("A", {"_id": "8", "b": "gone"})
    tally.finish()
    assert (tally.count, tally.total) == (2, 3)


def test_questions_use_stored_names() -> None:
    old = 'type Client @renamed(from: "Customer") { alias: String @renamed(from: "nickname") }'
    (question,) = diff_models(
        read_model(HEAD + old, "m"), read_model(HEAD + old.replace("String", "String!"), "m")
    )[0].questions
    tally = question.tally()
    tally.see("Customer", {"_id": "1", "nickname": "x"})
    assert (question.scanned, tally.count) == (("Customer",), 0)


def _question(old: str, new: str) -> Question:
    """Return the question of the only change that needs something, or of the only change."""
    changes = diff_models(read_model(HEAD + old, "m"), read_model(HEAD + new, "m"))
    return changes[0].questions[0]
