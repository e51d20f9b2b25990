"""Conditions on roles are read to role filters."""

from pathlib import Path
from typing import Any

import pytest

from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import RoleName
from stratabase.core.domain.query.filter import MATCH_ALL, And, Comparison, Filter, Not, Or, RoleFilter
from stratabase.core.model.reading import read_model, read_model_file
from stratabase.core.model.types.operators import Operator
from stratabase.core.model.users import with_users
from stratabase.core.schema.inputs.filter_reader import FilterReader
from stratabase.core.schema.inputs.filter_size import MAX_ROLES_IN_A_ROW, FilterSize, measure_filter
from stratabase.core.schema.inputs.filter_type import role_filter_fields
from stratabase.values.formats.preferences import Formats
from tests.rows import each_row

CLINIC = read_model(
    """
    extend schema @application(name: "Clinic")
    type Patient { email: String  visits: [Visit!] @association(opposite: "patient") }
    type Visit {
      day: Date
      patient: Patient @association(opposite: "visits")
      notes: [Note!] @composition(whole: "visit")
    }
    type Note { text: String }
    type Settings @class(kind: SINGLETON) { hours: [Hours!] @composition(whole: "settings") }
    type Hours { day: Int }
    """,
    "clinic",
)
PATIENT, VISITS, NOTES, VISIT = (
    RoleName(*name.split(".")) for name in ("Visit.patient", "Patient.visits", "Visit.notes", "Note.visit")
)
DESK = with_users(read_model_file(Path(__file__).parent.parent / "models/desk.graphql"))
SENT = {"email___eq": "ada@a.it"}
ADA = Comparison("email", Operator.EQ, "ada@a.it")
Data = dict[str, Any]


def read(class_name: str, data: Data, **how: bool) -> Filter:
    return FilterReader(CLINIC, CLINIC.classes[class_name], **how).read(
        data, Formats(), ("options", "filter")
    )


def refusals(class_name: str, data: Data, **how: bool) -> list[tuple[str, Any]]:
    with pytest.raises(Refused) as refusal:
        read(class_name, data, **how)
    return [(str(issue.message), issue.path) for issue in refusal.value.issues]


@each_row(
    ("class_name", "names"),
    [
        ("Patient", ["visits___some", "visits___none", "visits___every"]),
        ("Visit", ["patient", "patient___null", "notes___some", "notes___none", "notes___every"]),
        ("Note", ["visit", "visit___null"]),
        ("Hours", ["settings___null"]),
    ],
)
def test_each_role_of_a_class_has_its_tests(class_name: str, names: list[str]) -> None:
    """A singleton has no filter, so a part of it can only be asked whether it belongs to it."""
    assert [name for name, _ in role_filter_fields(CLINIC, CLINIC.classes[class_name])] == names


def test_roles_to_users_have_all_tests_of_a_to_one_role() -> None:
    roles = ("_createdby_user", "_lastmodifiedby_user", "_ownedby_user")
    names = [name for name, _ in role_filter_fields(DESK, DESK.classes["Note"])]
    assert {name for role in roles for name in (role, f"{role}___null")} <= {*names}


@each_row(
    ("class_name", "data", "expected"),
    [
        ("Visit", {"patient": SENT}, RoleFilter(PATIENT, ADA)),
        ("Visit", {"patient": {}}, RoleFilter(PATIENT, MATCH_ALL)),
        ("Visit", {"patient___null": False}, RoleFilter(PATIENT, MATCH_ALL)),
        ("Visit", {"patient___null": True}, Not(RoleFilter(PATIENT, MATCH_ALL))),
        ("Visit", {"patient": {"NOT": SENT}}, RoleFilter(PATIENT, Not(ADA))),
        ("Visit", {"NOT": {"patient": SENT}}, Not(RoleFilter(PATIENT, ADA))),
        ("Patient", {"visits___some": {}}, RoleFilter(VISITS, MATCH_ALL)),
        ("Patient", {"visits___none": {}}, Not(RoleFilter(VISITS, MATCH_ALL))),
        ("Patient", {"visits___every": {}}, Not(RoleFilter(VISITS, Or(())))),
        (
            "Patient",
            {"visits___every": {"day___lt": "2026-01-01"}},
            Not(RoleFilter(VISITS, Not(Comparison("day", Operator.LT, "2026-01-01")))),
        ),
        (
            "Note",
            {"visit": {"patient": SENT, "notes___some": {"text___eq": None}}},
            RoleFilter(
                VISIT,
                And((RoleFilter(PATIENT, ADA), RoleFilter(NOTES, Comparison("text", Operator.EQ, None)))),
            ),
        ),
        (
            "Visit",
            {"OR": [{"patient": SENT}, {"patient___null": True}]},
            Or((RoleFilter(PATIENT, ADA), Not(RoleFilter(PATIENT, MATCH_ALL)))),
        ),
    ],
)
def test_a_condition_on_a_role_is_read(class_name: str, data: Data, expected: Filter) -> None:
    assert read(class_name, data) == expected
    assert read(class_name, data, skip_nulls=True) == expected


@each_row(
    ("data", "expected"),
    [
        ({"patient": None}, MATCH_ALL),
        ({"patient": {"email___contains": None}}, MATCH_ALL),
        ({"patient": {"AND": [{"email___contains": None}], "visits___some": None}}, MATCH_ALL),
        ({"NOT": {"patient": {"email___contains": None}}}, MATCH_ALL),
        ({"notes___none": {"text___contains": None}}, MATCH_ALL),
        ({"patient": {"email___contains": None, **SENT}}, RoleFilter(PATIENT, ADA)),
    ],
)
def test_a_search_form_may_leave_conditions_on_roles_empty(data: Data, expected: Filter) -> None:
    """Conditions that are null say nothing, so the role is not tested for them."""
    assert read("Visit", data, skip_nulls=True) == expected


@each_row(
    ("data", "message", "path"),
    [
        (
            {"patient": None},
            "Visit.patient: null is not allowed. Remove the field, or use patient___null: true.",
            ("patient",),
        ),
        (
            {"notes___some": None},
            "Visit.notes___some: null is not allowed. Remove the field, or use notes___some: {}.",
            ("notes___some",),
        ),
        (
            {"patient___null": None},
            "Visit.patient___null: null is not allowed. Use true or false, or remove the field.",
            ("patient___null",),
        ),
        (
            {"patient": {"visits___every": {"day___lt": "tomorrow"}}},
            "Visit.day___lt: ",
            ("patient", "visits___every", "day___lt"),
        ),
    ],
)
def test_a_mistake_in_a_condition_on_a_role_has_its_place(
    data: Data, message: str, path: tuple[str, ...]
) -> None:
    ((text, place),) = refusals("Visit", data)
    assert text.startswith(message)
    assert place == ("options", "filter", *path)


def test_a_null_that_cannot_be_left_out_is_refused_in_pages_too() -> None:
    assert len(refusals("Visit", {"patient___null": None}, skip_nulls=True)) == 1


def test_versions_cannot_be_filtered_along_roles() -> None:
    data = {"OR": [{"patient": SENT}, {"patient___null": True}, {"day___eq": None}]}
    found = refusals("Visit", data, along_roles=False)
    reason = (
        "can't be used to filter versions. "
        "Each version would be compared with other objects of its own time. Filter by attributes of Visit."
    )
    assert found == [
        (f"Visit.patient {reason}", ("options", "filter", "OR", 0, "patient")),
        (f"Visit.patient___null {reason}", ("options", "filter", "OR", 1, "patient___null")),
    ]


def test_conditions_inside_roles_count() -> None:
    data = {"patient": {"visits___some": {"AND": [{"_id___in": ["a", "b"]}, {"notes___none": {}}]}}}
    assert measure_filter(data) == FilterSize(comparisons=4, members=2, roles_in_a_row=3)
    assert measure_filter({"resume___eq": {"pendingFileId": "x"}}) == FilterSize(1, 0, 0)
    left_out = {"patient": {"email___contains": None}, "notes___some": None, "patient___null": None}
    assert measure_filter(left_out, skip_nulls=True) == FilterSize(2, 0, 1)


def test_a_filter_that_goes_too_far_is_refused() -> None:
    def along(roles: int) -> Data:
        data: Data = {}
        for number in range(roles):
            data = {"visits___some": data} if (roles - number) % 2 == 0 else {"patient": data}
        return data

    assert isinstance(read("Visit", along(MAX_ROLES_IN_A_ROW)), RoleFilter)
    assert refusals("Visit", along(MAX_ROLES_IN_A_ROW + 1)) == [
        ("Visit: The filter follows 16 roles one after the other. The maximum is 15.", ("options", "filter"))
    ]
    wide = {"OR": [{"patient": SENT}] * 250}
    assert isinstance(read("Visit", wide), Or)
    assert refusals("Visit", {"AND": [wide, {"patient": {}}]})[0][0].startswith(
        "Visit: The filter has 501 comparisons. The maximum is 500."
    )
