"""Documents about the schema are prepared at build time, for each distinct set of capabilities."""

import gzip
import json
from pathlib import Path
from zipfile import ZipFile

import pytest
from graphql import get_introspection_query

from stratabase.core.domain.caller import Caller
from stratabase.core.model.reading import read_model
from stratabase.core.model.users import with_users
from stratabase.core.schema import executor
from stratabase.core.schema.executor import SchemaExecutor
from stratabase.core.schema.prepared_documents import STANDARD_QUERIES, PreparedDocuments, prepare_documents
from tests.fakes import ADMINISTRATOR, fake_services

TEXT = b"""
extend schema @application(name: "Notes") @profile(name: "Administrator", administrator: true)
  @profile(name: "Reader") @profile(name: "Guest") @profile(name: "Nobody")
type Note @grant(profile: "Reader", allow: [READ]) @grant(profile: "Guest", allow: [READ])
  @grant(profile: "Nobody", allow: []) {
  text: String
  secret: String @grant(profile: "Reader", allow: []) @grant(profile: "Guest", allow: [])
}
"""
MODEL = read_model(TEXT.decode(), "notes")
CALLERS = {
    "Administrator": ADMINISTRATOR,
    "Reader": Caller("2", "bob", "Reader"),
    "Guest": Caller("3", "eve", "Guest"),
}


def built(prepared: PreparedDocuments | None) -> SchemaExecutor:
    return SchemaExecutor(fake_services(with_users(MODEL))[0], lambda *_: None, prepared=prepared)


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file that no test changes."""
    file = tmp_path_factory.mktemp("prepared") / "notes.documents.zip"
    prepare_documents(file, MODEL, TEXT)
    return file


@pytest.fixture
def no_execution(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("executed")

    monkeypatch.setattr(executor, "execute_sync", refuse)


@pytest.mark.parametrize("profile", CALLERS)
@pytest.mark.parametrize("query", STANDARD_QUERIES, ids=["default", "graphiql", "all"])
def test_a_prepared_response_equals_an_executed_one(
    archive: Path, monkeypatch: pytest.MonkeyPatch, query: str, profile: str
) -> None:
    expected = built(None).execute(query, None, None, CALLERS[profile], "trace").body
    monkeypatch.setattr(executor, "execute_sync", None)

    response = built(PreparedDocuments(archive, TEXT)).execute(query, None, None, CALLERS[profile], "trace")

    assert response.body == expected
    assert response.gzipped is not None
    assert gzip.decompress(response.gzipped) == expected
    assert (b"secret" in expected) == (profile == "Administrator")


@pytest.mark.usefixtures("no_execution")
def test_the_form_of_a_standard_query_does_not_matter(archive: Path) -> None:
    """Other names, spaces and depths, as versions of GraphQL.js have."""
    query = get_introspection_query()
    forms = [
        query.replace("IntrospectionQuery", "Other").replace("TypeRef", "Wrapped"),
        " ".join(query.split()),
        get_introspection_query(type_depth=5),
    ]
    run = built(PreparedDocuments(archive, TEXT))

    bodies = {run.execute(form, None, None, ADMINISTRATOR, "trace").body for form in forms}
    assert len(bodies) == 1


@pytest.mark.parametrize("profile", CALLERS)
def test_the_prepared_sdl_is_that_of_the_profile(archive: Path, profile: str) -> None:
    caller = CALLERS[profile]
    assert built(PreparedDocuments(archive, TEXT)).sdl(caller) == built(None).sdl(caller)


def test_equal_capabilities_share_documents(archive: Path) -> None:
    with ZipFile(archive) as opened:
        names = opened.namelist()
    assert len({name.partition("/")[0] for name in names if "/" in name}) == 2
    assert len(names) == 1 + 2 * (1 + len(STANDARD_QUERIES))


def test_documents_of_another_model_are_not_used(archive: Path) -> None:
    other = PreparedDocuments(archive, TEXT + b"\n")
    assert other.sdl("") is None
    assert PreparedDocuments(archive, TEXT).sdl("") is not None


@pytest.mark.parametrize("content", [b"", b"no archive"], ids=["empty", "text"])
def test_a_broken_file_is_not_used(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "broken.zip"
    file.write_bytes(content)

    assert "Note" in built(PreparedDocuments(file, TEXT)).sdl(ADMINISTRATOR)


def test_other_introspection_is_executed(archive: Path) -> None:
    query = "{ __schema { queryType { name } } }"
    body = built(PreparedDocuments(archive, TEXT)).execute(query, None, None, ADMINISTRATOR, "trace").body
    assert json.loads(body) == {"data": {"__schema": {"queryType": {"name": "Query"}}}}


def test_equal_models_give_equal_files(archive: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.zip"
    prepare_documents(again, MODEL, TEXT)
    assert again.read_bytes() == archive.read_bytes()
