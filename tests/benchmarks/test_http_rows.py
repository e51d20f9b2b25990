"""The requests that are compared with PostGraphile do what their rows say."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import islice
from typing import Any

import pytest

from benchmarks import staff
from benchmarks.http_rows import SIZES, VERSIONS_CASE, Case, Client
from tests.service import RunningService, running

pytestmark = pytest.mark.local
OBJECTS = 240


class Filled:
    """A service with some employees, which are in a store."""

    def __init__(self, service: RunningService, store: staff.Staff) -> None:
        store.grow(OBJECTS)
        self._service = service
        self.store = store
        self.ids = store.ids
        self.client = Client(service)

    def compared(self) -> Sequence[Case]:
        """Return the cases of the first table."""
        return list(self.client.compared(self.store))

    def answers(self, case: Case) -> list[tuple[str, Any]]:
        """Return the texts of the first three requests of a case, and the value in each answer."""
        return [self._answer(request) for request in islice(case.requests, 3)]

    def _answer(self, request: bytes) -> tuple[str, Any]:
        sent = json.loads(request.split(b"\r\n\r\n", 1)[1])
        answer = self._service.graphql(sent["query"], sent["variables"])
        assert "errors" not in answer, answer
        (value,) = answer["data"].values()
        return sent["query"], value


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    folder = tmp_path_factory.mktemp("staff")
    model = folder / "staff.graphql"
    model.write_text(staff.MODEL)
    home = folder / "home"
    with (
        running(home, model=model, application=staff.APPLICATION) as service,
        closing(staff.Staff(home)) as store,
    ):
        yield Filled(service, store)


def test_pages_are_full_and_in_order(filled: Filled) -> None:
    cases = {case.name: case for case in filled.compared()}
    for name in ("page of 50: filter, order, 2 dates", "the same with the team of each"):
        for _, page in filled.answers(cases[name]):
            names = [item["last_name"] for item in page["items"]]
            assert len(names) == 50
            assert names == sorted(names)
            assert len(page["items"][0]) == 8 + ("team" in name)
    (_, page), *_ = filled.answers(cases["page of 1,000"])
    assert len(page["items"]) > OBJECTS / 2


def test_the_page_of_versions_has_ten_former_versions(filled: Filled) -> None:
    (case,) = [each for each in filled.compared() if each.name == VERSIONS_CASE]
    for _, page in filled.answers(case):
        assert [item["wage"] for item in page["items"]] == [str(number) for number in range(1, 11)]


def test_pages_after_writes_are_those_without_writes(filled: Filled) -> None:
    cases = {case.name: case for case in filled.compared()}
    expected = filled.answers(cases["the same with the team of each"])
    before = filled.store.writes()
    assert filled.answers(cases["the same, and a write before each page"]) == expected
    assert filled.store.writes() == before + len(expected)


def test_the_total_count_is_of_three_in_five_objects(filled: Filled) -> None:
    for size in SIZES:
        for case in filled.client.counted(size):
            for _, page in filled.answers(case):
                assert OBJECTS * 0.55 < page["totalCount"] < OBJECTS * 0.65
                assert len(page["items"]) == 50


def test_filters_of_counts_are_new_or_always_the_same(filled: Filled) -> None:
    cases = [*filled.compared(), *filled.client.counted(SIZES[0])]
    (first, new_tested), (second, same_tested), (third, new), (fourth, same) = [
        (case.name, case.requests) for case in cases if "totalCount" in case.name or "next page" in case.name
    ]
    assert [first, third] == [
        "page of 50, totalCount without an index",
        "page of 50, totalCount counted anew",
    ]
    assert second == fourth == "the next page of the same list"
    for requests in (new_tested, new):
        assert len(set(islice(requests, 200))) == 200
    for requests in (same_tested, same):
        assert len(set(islice(requests, 200))) == 1


def test_new_texts_are_new_and_other_texts_are_not(filled: Filled) -> None:
    for case in filled.compared():
        texts = {text for text, _ in filled.answers(case)}
        assert len(texts) == (3 if case.name.startswith("new text") else 1), case.name


def test_each_write_writes(filled: Filled) -> None:
    cases = {case.name: case for case in filled.compared()}
    creates = [case for name, case in cases.items() if "create" in name]
    assert len(creates) == 2
    ids = [value["_id"] for case in creates for _, value in filled.answers(case)]
    assert len(set(ids)) == 6
    salaries = [value["salary"] for _, value in filled.answers(cases["update"])]
    assert len(set(salaries)) == 3


def test_the_other_cases_are_answered(filled: Filled) -> None:
    for case in filled.client.others(filled.ids):
        assert all(value is not None for _, value in filled.answers(case)), case.name
