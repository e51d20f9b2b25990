"""Errors of what other GraphQL services have say what to write instead."""

import json
from pathlib import Path
from typing import Any

import pytest

from stratabase.core.app.app import App
from stratabase.core.domain.caller import Caller
from stratabase.core.settings import Settings
from tests.fakes import ADMINISTRATOR
from tests.rows import each_row

MODEL = """
extend schema @application(name: "Shop") @profile(name: "Administrator", administrator: true)
  @profile(name: "Reader")
type Book @grant(profile: "Reader", allow: [READ]) {
  title: String! isbn: String @grant(profile: "Reader", allow: []) tags: [Tag!]
}
type Tag { name: String }
"""
HINTS = {
    "{ Book___getPage(limit: 5) { totalCount } }": "Write it in options, as in options: {next: …}.",
    "{ Book___getPage(orderBy: [title]) { totalCount } }": "as in options: {orderBy: …}.",
    "{ Book___getPage(nothing: 5) { totalCount } }": "on field 'Query.Book___getPage'.",
    "{ Book___getPage(options: {limit: 5}) { totalCount } }": "found: { limit: 5 }. Use next.",
    "{ Book___getPage(options: {orderBy: [title]}) { totalCount } }": "Use title___ASC or title___DESC.",
    "{ Book___getPage(options: {orderBy: {title: DESC}}) { totalCount } }": "title___ASC or title___DESC.",
    '{ Book___getPage(options: {orderBy: "title, title"}) { totalCount } }': (
        "Use title___ASC or title___DESC."
    ),
    '{ Book___getPage(options: {filter: {title: "x"}}) { totalCount } }': (
        "Use title___eq, title___contains, or title___in."
    ),
    '{ Book___getPage(options: {filter: {tags: {name: "x"}}}) { totalCount } }': "tags___none.",
    "{ Book___getPage { _id } }": "The objects are in items: items { _id }.",
    "{ Book { _id } }": "Cannot query field 'Book' on type 'Query'. Use Book___getPage or Book___get.",
    '{ Book___create(data: {title: "x"}) { _id } }': "It is a mutation: write mutation { Book___create … }.",
    'mutation { Book___validateCreate(data: {title: "x"}) { isValid } }': (
        "on type 'Mutation'. It is a query: write query { Book___validateCreate … }."
    ),
    'mutation { Book___create(data: {title: "x"}, title: "x") { _id } }': "as in data: {title: …}.",
}


@pytest.fixture
def instance(tmp_path: Path) -> App:
    (tmp_path / "model.graphql").write_text(MODEL)
    environment = {
        "STRATABASE_HOME": str(tmp_path),
        "STRATABASE_MODEL": str(tmp_path / "model.graphql"),
    }
    return App(Settings.from_environment(environment))


def _error(instance: App, text: str, profile: str | None = None, variables: Any = None) -> str:
    caller = ADMINISTRATOR if profile is None else Caller("m2", "rosa", profile)
    body = instance.executor.execute(text, variables, None, caller, "").body
    (error,) = json.loads(body)["errors"]
    return str(error["message"])


@each_row("text", HINTS)
def test_an_error_says_what_to_write_instead(text: str, instance: App) -> None:
    assert _error(instance, text).endswith(HINTS[text])
    instance.close()


def test_errors_of_variables_have_hints_too(instance: App) -> None:
    text = "query ($options: BookPageOptions) { Book___getPage(options: $options) { totalCount } }"
    for profile in (None, "Reader"):
        assert _error(instance, text, profile, {"options": {"limit": 1}}).endswith("Use next.")
        error = _error(instance, text, profile, {"options": {"orderBy": ["title"]}})
        assert error.endswith("Use title___ASC or title___DESC.")
    assert "Use" not in _error(instance, text, "Reader", {"options": {"orderBy": ["isbn"]}})
    instance.close()


def test_a_hint_names_nothing_that_the_caller_does_not_see(instance: App) -> None:
    for text in (
        '{ Book___getPage(options: {filter: {isbn: "x"}}) { totalCount } }',
        "{ Book___getPage(options: {orderBy: [isbn]}) { totalCount } }",
        "{ Book___getPage { isbn } }",
        "{ Book___create { _id } }",
    ):
        error = _error(instance, text, profile="Reader")
        assert "Use" not in error
        assert "isbn___" not in error
        assert "It is" not in error
        assert "items" not in error
    assert _error(instance, "{ Book___getPage { title } }", profile="Reader").endswith("items { title }.")
    instance.close()


def test_without_suggestions_there_are_no_hints(instance: App, tmp_path: Path) -> None:
    settings = Settings.from_environment(
        {
            "STRATABASE_HOME": str(tmp_path / "other"),
            "STRATABASE_MODEL": str(tmp_path / "model.graphql"),
            "STRATABASE_SUGGESTIONS": "off",
        }
    )
    (tmp_path / "other").mkdir()
    closed = App(settings)
    assert _error(closed, "{ Book___getPage { _id } }") == "Cannot query field '_id' on type 'BookPage'."
    closed.close()
    instance.close()
