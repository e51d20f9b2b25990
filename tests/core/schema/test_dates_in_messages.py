"""Dates and instants in messages use the format, the time zone and the language of the reader."""

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.model.reading import read_model
from stratabase.values.formats.preferences import Formats
from tests.contract.engine.reference import ReferenceEngine
from tests.core.schema.grants.archive_api import ArchiveApi

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
def archive() -> ArchiveApi:
    """The API over an empty diary, at noon UTC on 1 January 2020."""
    return ArchiveApi(ReferenceEngine(), read_model(TEXT, "diary.graphql"))


def messages(archive: ArchiveApi, query: str, caller: Caller) -> list[str]:
    return [error["message"] for error in archive.body(query, caller)["errors"]]


def test_messages_about_domains_use_the_formats_of_the_caller(archive: ArchiveApi) -> None:
    """Those that were given, and those that would be right."""
    query = f"""mutation {{ Entry___create(data: {{
      day: "2021-01-31", hour: "18:30", moment: "{MOMENT}"}}) {{ _id }} }}"""

    assert messages(archive, query, ROMAN) == [
        "Entry.day: 31 gennaio 2021 è troppo alto. Usa un valore da 1 gennaio 2020 a 31 dicembre 2020.",
        "Entry.hour: 18.30 è troppo alto. Il massimo è 18.00.",
        f"Entry.moment: 1 marzo 2020 11.00 ({MOMENT}) non è ammesso. Usa 1 marzo 2020 11.00.",
    ]
    assert messages(archive, query, OTHER)[0] == (
        "Entry.day: 31/01/2021 is too high. Use a value from 01/01/2020 to 31/12/2020."
    )


def test_messages_about_unique_values_use_the_formats_of_the_caller(archive: ArchiveApi) -> None:
    archive.create("Entry", day="2020-02-01")
    query = 'mutation { Entry___create(data: {day: "2020-02-01"}) { _id } }'

    assert messages(archive, query, ROMAN) == [
        "Un altro oggetto Entry ha già lo stesso valore: day 1 febbraio 2020. day deve essere univoco."
    ]
    assert messages(archive, query, OTHER) == [
        "Another Entry already has the same day 01/02/2020. day must be unique."
    ]


def test_messages_about_locks_use_the_formats_of_the_caller(archive: ArchiveApi) -> None:
    id_ = archive.create("Entry")
    locked = f'{{entityName: Entry, _id: "{id_}"}}'
    archive.ask(f"mutation {{ lock(locks: [{locked}], minutes: 30) {{ locked }} }}", OTHER)
    change = f'mutation {{ Entry___update(data: {{_id: "{id_}", text: "x"}}) {{ _id }} }}'

    for query in (change, f"mutation {{ lock(locks: [{locked}]) {{ locked }} }}"):
        assert messages(archive, query, ROMAN) == [
            f'Entry "{id_}" è bloccato da carla fino al 1 gennaio 2020 13.30.'
        ]


def test_messages_about_versions_use_the_formats_of_the_caller(archive: ArchiveApi) -> None:
    """They also show the instant in the format of the argument, to the millisecond."""
    id_ = archive.create("Entry")
    data = f'data: {{_id: "{id_}", text: "x"}}'
    other = f'mutation {{ Entry___update({data}, ifVersion: "01-01-2020 13:30:00.000") {{ _id }} }}'
    none = (
        f'mutation {{ Entry___restoreVersion(_id: "{id_}", atVersion: "31-12-2019 10:00:00.000") {{ _id }} }}'
    )

    moment = "31 dicembre 2019 10.00 (atVersion: 31-12-2019 10:00:00.000)"
    refused = (
        f'I dati di Entry "{id_}" sono cambiati dopo la versione che hai inviato come ifVersion. La versione '
        "attuale è iniziata il 1 gennaio 2020 13.00. Leggila, e poi invia ifVersion: "
        '"01-01-2020 13:00:00.000".'
    )
    assert messages(archive, other, ROMAN) == [refused]
    assert messages(archive, none, ROMAN) == [f'Entry "{id_}" non ha una versione all\'istante {moment}.']
