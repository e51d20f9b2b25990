"""Bulk services: over their limits they change nothing; refused objects do not block the others."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.scenarios.refusals.case import KEY, Asked, Case
from tests.scenarios.refusals.issue import Issue, attributes
from tests.scenarios.refusals.service_client import ServiceClient, error, errors_of, ordered

SIX = [f"bulk{number}" for number in range(6)]


@pytest.fixture
def six(client: ServiceClient) -> Iterator[None]:
    """Six sheets, one more than a bulk service accepts."""
    for name in SIX:
        client.create("Sheet", name, title=name, height=1)
    yield
    for name in SIX:
        client.ask("mutation($id: ID!) { Sheet___delete(_id: $id) { deleted } }", id=client.ids[name])


def all_six(**more: Any) -> dict[str, Any]:
    return {"filter": {"title___starts_with": "bulk"}, "orderBy": ["title___ASC"], **more}


def in_bulk(says: str, class_name: str, options: dict[str, Any], *issues: Issue) -> Case:
    """Return the case of options that all bulk services refuse."""
    ways = []
    for verb in ("updateBulk", "validateUpdateBulk", "deleteBulk", "validateDeleteBulk"):
        arguments = {"options": options} | ({"data": {}} if "pdate" in verb else {})
        result = verb.startswith("validate") and issues[0].at == "options"
        ways.append(
            Asked(class_name, verb, arguments, issues, result, shows="__typename" if not result else None)
        )
    return Case(says, ways)


def too_many(class_name: str, number: int) -> Issue:
    text = f"{number} {class_name} objects match. The maximum for one request is 5."
    return Issue(
        "MALFORMED_REQUEST",
        f"{text} Narrow the filter, or use next to request fewer objects.",
        "options",
        "ENTITY",
        class_name,
    )


@pytest.mark.usefixtures("six")
@pytest.mark.parametrize(
    "options", [all_six(), all_six(next=6), all_six(offset=0, next=100)], ids=["all", "six", "a hundred"]
)
def test_a_bulk_service_over_more_objects_than_its_limit_is_refused(
    refuse: Callable[[Case], None], options: dict[str, Any]
) -> None:
    refuse(in_bulk("too many", "Sheet", options, too_many("Sheet", 6)))


@pytest.mark.usefixtures("six")
def test_a_bulk_service_within_its_limit_succeeds(client: ServiceClient) -> None:
    change = """mutation($options: SheetPageOptions!) {
      Sheet___updateBulk(data: {height: 2}, options: $options) { totalCount items { title height } } }"""

    done = client.ask(change, options=all_six(next=5))

    assert done == {"totalCount": 5, "items": [{"title": name, "height": 2} for name in SIX[:5]]}


@pytest.mark.usefixtures("six")
def test_a_refused_object_does_not_block_the_others(client: ServiceClient) -> None:
    """Each object is written separately. Only one of them can have a unique value."""
    arguments = '(data: {code: "999", height: 2}, options: $options)'
    change = f"""mutation($options: SheetPageOptions!) {{
  it: Sheet___updateBulk{arguments} {{ totalCount items {{ title }} }}
}}"""
    validation = f"""query($options: SheetPageOptions!) {{
      Sheet___validateUpdateBulk{arguments} {{ isValid issues {{ userMessage }} }} }}"""

    verdict = client.ask(validation, options=all_six(next=3))
    answer = client.answer(change, {"options": all_six(next=3)})

    same = (
        'Another Sheet already has the same code "999". code must be unique. '
        f"This applies to 2 objects: {client.ids['bulk1']} and {client.ids['bulk2']}."
    )
    assert verdict == {"isValid": False, "issues": [{"userMessage": same}]}
    text = "1 of 3 Sheet objects were updated. For the rest, see the other issues."
    issues = [
        Issue("SERVICE_HANDLER_ERROR", text, "options", "ENTITY", "Sheet"),
        attributes("ENTITY_UNIQUE", "Sheet", ["code"], same),
    ]
    errors = [error(client.labelled(issue.shown(KEY, answer.trace_id))) for issue in issues]
    done = {"totalCount": 1, "items": [{"title": "bulk0"}]}
    assert errors_of(answer.body) == {"data": {KEY: done}, "errors": ordered(errors)}
    assert answer.body["errors"][0]["extensions"]["issueType"] == "SERVICE_HANDLER_ERROR"
    found = client.ask(
        "query($options: SheetPageOptions!) { Sheet___getPage(options: $options) { items { code height } } }",
        options=all_six(),
    )
    untouched = {"code": None, "height": 1}
    assert found == {"items": [{"code": "999", "height": 2}, *[untouched] * 5]}
