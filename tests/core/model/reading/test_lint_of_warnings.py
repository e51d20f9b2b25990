"""Warnings about `@warning`: conditions on which many objects depend, and those that tell hidden values."""

from pathlib import Path

import pytest

from stratabase.core.model.reading import lint_model_file

SCHEMA = 'extend schema @application(name: "Bank") @profile(name: "Boss", administrator: true)'
CLERK = f'{SCHEMA} @profile(name: "Clerk")\n'
MANY = (
    "Many Person objects can lead to one Grade by Person.grade. A write that changes or deletes the Grade "
    "tests this condition for each Person that depends on it, and is refused if there are more than 50. "
)


def warnings(tmp_path: Path, model: str) -> list[str]:
    file = tmp_path / "model.graphql"
    file.write_text(model)
    return [one.message for one in lint_model_file(file)]


def graded(opposite: str, back: str, *, blocking: str = "true") -> str:
    """Return a model in which what a person may earn depends on their grade."""
    return (
        f'{SCHEMA}\ntype Person @warning(name: "w", condition: "pay > grade.most", message: "m", '
        f"blocking: {blocking}) {{ pay: Int  grade: Grade {opposite} }}\ntype Grade {{ most: Int  {back} }}"
    )


OPPOSITE = '@association(opposite: "people")'
PEOPLE = 'people: [Person!] @association(opposite: "grade")'
PERSON = 'people: Person @association(opposite: "grade")'


def test_a_role_by_which_many_objects_depend_on_one(tmp_path: Path) -> None:
    model = graded(OPPOSITE, PEOPLE)

    assert warnings(tmp_path, model) == [
        f"{MANY}If there can be so many, store what the condition reads in Person itself."
    ]


def test_a_role_without_an_opposite(tmp_path: Path) -> None:
    expected = (
        f"{MANY}Person.grade has no opposite, so the write searches Person objects, and on DynamoDB it can "
        "miss the newest ones. Add an opposite role to Grade."
    )

    assert warnings(tmp_path, graded("", "")) == [expected]


@pytest.mark.parametrize(
    "model",
    [
        graded(OPPOSITE, PEOPLE, blocking="false"),
        graded('@association(opposite: "people", holds: true)', PERSON),
    ],
    ids=["it does not block", "only one object leads there"],
)
def test_no_warning_about_roles(tmp_path: Path, model: str) -> None:
    assert warnings(tmp_path, model) == []


def test_a_sum_over_objects_that_lead_back_to_one_is_fine(tmp_path: Path) -> None:
    model = f"""{SCHEMA}
type Account @warning(name: "w", condition: "balance < 0", message: "m", blocking: true) {{
  balance: Int @derived(path: "bookings.amount", aggregate: SUM)
  bookings: [Booking!] @association(opposite: "account")
}}
type Booking {{ amount: Int  account: Account @association(opposite: "bookings") }}"""

    assert warnings(tmp_path, model) == []


def paid(grants: str, field: str = "") -> str:
    return (
        f'{CLERK}type Person @warning(name: "rich", condition: "rate > 10", message: "m") {grants} '
        f'{{ name: String  salary: Int {field}  rate: Int @derived(expression: "salary / 12") }}'
    )


HIDDEN = (
    "Members of the profile Clerk can write Person, but can't read Person.salary. Whether this warning is "
    "reported tells them something about it."
)
ACCOUNTS = f"""{CLERK}
type Account @warning(name: "w", condition: "balance < 0", message: "m", blocking: true) {{
  balance: Int @derived(path: "bookings.amount", aggregate: SUM)
  bookings: [Booking!] @association(opposite: "account")
}}
type Booking @grant(profile: "Clerk", allow: [READ, CREATE]) {{
  amount: Int  account: Account @association(opposite: "bookings")
}}"""
PROBED = (
    "Members of the profile Clerk can write Booking, but can't read Account.balance and Account.bookings. "
    "Whether this warning is reported tells them something about it."
)
ALL = '@grant(profile: "Clerk", allow: [READ, EDIT])'


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (paid(ALL, '@grant(profile: "Clerk", allow: [])'), [HIDDEN]),
        (paid('@grant(profile: "Clerk", allow: [READ])', '@grant(profile: "Clerk", allow: [])'), []),
        (paid(ALL), []),
        (ACCOUNTS, [PROBED]),
        (ACCOUNTS.replace("CREATE", "DELETE"), [PROBED]),
        (ACCOUNTS.replace(", CREATE", ""), []),
        (ACCOUNTS.replace("blocking: true", "blocking: false"), []),
    ],
    ids=["hidden", "not written", "readable", "written on the path", "deleted", "only read", "not blocking"],
)
def test_a_condition_that_reads_what_a_profile_cannot(
    tmp_path: Path, model: str, expected: list[str]
) -> None:
    assert warnings(tmp_path, model) == expected
