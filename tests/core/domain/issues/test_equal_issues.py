"""Equal issues of more than ten elements of a request are one; what differs in anything else stays apart."""

from dataclasses import replace

from stratabase.core.domain.issues.equal_issues import MAX_EQUAL_ISSUES, merge_equal
from stratabase.core.domain.issues.issue import Issue, IssueType, Level, Path, ReferenceType
from stratabase.values.messages import verbatim
from tests.rows import each_row

MANY = MAX_EQUAL_ISSUES + 1
WRONG = Issue(
    IssueType.ATTRIBUTE_RANGE,
    verbatim("Line.n: 99 is too high."),
    reference_type=ReferenceType.ENTITY_ATTRIBUTE,
    entity_name="Line",
    attribute_names=("n",),
)


def path(row: int, *rest: str | int) -> Path:
    return ("data", "lines", "create", row, *(rest or ("n",)))


def rows(number: int, issue: Issue = WRONG) -> list[Issue]:
    return [replace(issue, path=path(row)) for row in range(number)]


def test_many_equal_issues_are_one_at_the_first_place() -> None:
    other = replace(WRONG, message=verbatim("Line.n: 98 is too high."), path=path(500))
    issues = rows(100)
    issues.insert(50, other)

    merged, after = merge_equal(issues)

    assert after is other
    assert replace(merged, message=WRONG.message, path=()) == WRONG
    assert merged.path == path(0)
    assert merged.message == (
        "Line.n: 99 is too high. This applies to 100 places in the request, such as "
        "data.lines.create.0.n, data.lines.create.1.n, data.lines.create.2.n, data.lines.create.3.n, "
        "and data.lines.create.4.n."
    )
    assert merged.message.in_language("it").startswith(
        "Line.n: 99 is too high. Questo vale per 100 punti della richiesta, "
    )


def test_a_few_equal_issues_stay_as_they_are() -> None:
    issues = rows(MAX_EQUAL_ISSUES)
    assert merge_equal(issues) == issues
    assert merge_equal([]) == []


@each_row(
    "other",
    [
        {"attribute_names": ("m",)},
        {"role_names": ("n",)},
        {"type": IssueType.DATA_TYPE},
        {"level": Level.WARNING},
        {"stops_write": False},
        {"reference_type": ReferenceType.ENTITY},
        {"entity_name": "Order"},
        {"message": verbatim("Line.m: 99 is too high.")},
    ],
)
def test_issues_that_differ_stay_apart(other: dict[str, object]) -> None:
    """As many as two groups of ten are none of more than ten."""
    issues = [*rows(MAX_EQUAL_ISSUES), *rows(MAX_EQUAL_ISSUES, replace(WRONG, **other))]  # type: ignore[arg-type]
    assert merge_equal(issues) == issues
    issues = [*rows(MANY), *rows(MANY, replace(WRONG, **other))]  # type: ignore[arg-type]
    assert len(merge_equal(issues)) == 2


def test_other_places_of_the_request_stay_apart() -> None:
    issues = [replace(WRONG, path=("data", f"role{number}", "n")) for number in range(MANY)]
    assert merge_equal(issues) == issues


def test_objects_at_one_place_stay_apart() -> None:
    """Their ids tell them apart, as in a bulk service."""
    issues = [replace(WRONG, path=("data", "n"), entity_id=f"{number}") for number in range(100)]
    assert merge_equal(issues) == issues


def test_a_merged_issue_names_an_object_only_if_it_is_the_only_one() -> None:
    several = [replace(each, entity_id=f"{n}", client_id=f"c{n}") for n, each in enumerate(rows(MANY))]
    (merged,) = merge_equal(several)
    assert (merged.entity_id, merged.client_id) == (None, None)
    (merged,) = merge_equal([replace(each, entity_id="1", client_id="c") for each in several])
    assert (merged.entity_id, merged.client_id) == ("1", "c")


def test_elements_of_nested_lists_are_merged() -> None:
    issues = [replace(WRONG, path=path(row, "subs", sub, "t")) for row in range(4) for sub in range(3)]
    (merged,) = merge_equal(issues)
    assert "12 places in the request, such as data.lines.create.0.subs.0.t" in merged.message
