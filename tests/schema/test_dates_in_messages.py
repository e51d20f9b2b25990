"""Dates and instants in messages are in the format, the time zone and the language of who reads them."""

import pytest

from stratabase.domain.members.member import Caller
from stratabase.formats.preferences import Formats
from stratabase.model.reading import read_model
from tests.contract.engine.reference import ReferenceEngine
from tests.schema.grants.archive import Archive

TEXT = """
extend schema @application(name: "Diary") @profile(name: "Administrator", administrator: true)
type Entry @class(versioned: true) @unique(attributes: ["day"]) {
  day: Date @domain(min: "2020-01-01", max: "2020-12-31")
  hour: Time @domain(max: "18:00:00")
  moment: Datetime @domain(values: ["2020-03-01T10:00:00Z"])
  text: String
}
"""
FORMATS = Formats("d MMMM yyyy", "HH.mm", "Europe/Rome", "it")
ROMAN = Caller("m1", "bruno", "Administrator", administrator=True, formats=FORMATS)
MOMENT = "2020-03-01T10:00:30.000Z"
OTHER = Caller("m2", "carla", "Administrator", administrator=True)
"""Who uses the formats of the instance."""


@pytest.fixture
def diary() -> Archive:
    """Return requests to an empty diary, at noon of the first day of 2020 in UTC."""
    return Archive(ReferenceEngine(), read_model(TEXT, "diary.graphql"))


def messages(diary: Archive, query: str, caller: Caller) -> list[str]:
    return [error["message"] for error in diary.body(query, caller)["errors"]]


def test_values_out_of_their_domain(diary: Archive) -> None:
    """Those that were given, and those that would be right."""
    query = f"""mutation {{ Entry___create(data: {{
      day: "2021-01-31", hour: "18:30", moment: "{MOMENT}"}}) {{ _id }} }}"""

    assert messages(diary, query, ROMAN) == [
        "Entry.day: 31 gennaio 2021 is too high: give 1 gennaio 2020 to 31 dicembre 2020",
        "Entry.hour: 18.30 is too high: give 18.00 at most",
        f"Entry.moment: 1 marzo 2020 11.00 ({MOMENT}) is none of the values: give 1 marzo 2020 11.00",
    ]
    assert messages(diary, query, OTHER)[0] == (
        "Entry.day: 31/01/2021 is too high: give 01/01/2020 to 31/12/2020"
    )


def test_values_that_are_taken(diary: Archive) -> None:
    diary.create("Entry", day="2020-02-01")
    query = 'mutation { Entry___create(data: {day: "2020-02-01"}) { _id } }'

    assert messages(diary, query, ROMAN) == [
        "another Entry has day 1 febbraio 2020: no two may have the same"
    ]
    assert messages(diary, query, OTHER) == ["another Entry has day 01/02/2020: no two may have the same"]


def test_until_when_something_is_locked(diary: Archive) -> None:
    id_ = diary.create("Entry")
    locked = f'{{entityName: Entry, _id: "{id_}"}}'
    diary.ask(f"mutation {{ lock(locks: [{locked}], minutes: 30) {{ locked }} }}", OTHER)
    change = f'mutation {{ Entry___update(data: {{_id: "{id_}", text: "x"}}) {{ _id }} }}'

    for query in (change, f"mutation {{ lock(locks: [{locked}]) {{ locked }} }}"):
        assert messages(diary, query, ROMAN) == [f"Entry {id_} is locked by carla until 1 gennaio 2020 13.30"]


def test_which_version_there_is_and_which_there_is_not(diary: Archive) -> None:
    """Also as the argument takes it, to the millisecond, so that it can be handed back."""
    id_ = diary.create("Entry")
    data = f'data: {{_id: "{id_}", text: "x"}}'
    other = f'mutation {{ Entry___update({data}, ifVersion: "01-01-2020 13:30:00.000") {{ _id }} }}'
    none = (
        f'mutation {{ Entry___restoreVersion(_id: "{id_}", atVersion: "31-12-2019 10:00:00.000") {{ _id }} }}'
    )

    began = "1 gennaio 2020 13.00 (ifVersion: 01-01-2020 13:00:00.000)"
    moment = "31 dicembre 2019 10.00 (atVersion: 31-12-2019 10:00:00.000)"
    assert messages(diary, other, ROMAN) == [
        f"Entry {id_} has another version now: the one that began at {began}"
    ]
    assert messages(diary, none, ROMAN) == [f"there is no version of Entry with _id '{id_}' as of {moment}"]
