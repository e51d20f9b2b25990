"""The instance respects the settings."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stratabase.core.app.app import App
from stratabase.core.domain.caller import Caller
from stratabase.core.http.handler import CATCH_ALL
from stratabase.core.model.prepared import prepare, prepared_file
from stratabase.core.model.reading import read_model
from stratabase.core.operations.attempts_with_fallback import AttemptsWithFallback
from stratabase.core.settings import Settings
from stratabase_aws.functions.handlers import http_handler

MODEL = 'extend schema @application(name: "Notes")\ntype Note { name: String text: Text }\n'
ADMINISTRATOR = Caller("1", "ada", "Administrator", administrator=True)
CREATE = "mutation($data: NoteCreate!) { Note___create(data: $data) { _id } }"


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[App]:
    """An instance whose requests may read one megabyte, with three objects of 0.9 MB in all."""
    (tmp_path / "model.graphql").write_text(MODEL)
    built = App(Settings(home=tmp_path, model=tmp_path / "model.graphql", read_megabytes=1))
    for number in range(3):
        answer = ask(built, CREATE, data={"name": str(number), "text": "n" * 300_000})
        assert "errors" not in answer
    yield built
    built.close()


def ask(instance: App, query: str, **variables: Any) -> Any:
    return json.loads(instance.executor.execute(query, variables, None, ADMINISTRATOR, "trace").body)


def test_the_read_budget_of_a_request_comes_from_the_settings(instance: App) -> None:
    """One page of all is within a megabyte, two of them are not; the first is answered all the same."""
    page = "Note___getPage(options: {orderBy: [name___ASC]}) { items { name } }"
    assert "errors" not in ask(instance, f"{{ {page} }}")

    answer = ask(instance, f"{{ one: {page} two: {page} three: {page} }}")

    assert len(answer["data"]["one"]["items"]) == 3
    assert (answer["data"]["two"], answer["data"]["three"]) == (None, None)
    two, three = sorted(answer["errors"], key=lambda error: error["path"], reverse=True)
    assert (
        'Declare @index(attributes: ["name"]) in the model. '
        "Request less data in each request." in two["message"]
    )
    assert "before it read these objects" in three["message"]
    assert two["extensions"]["attributeNames"] == ["name"]
    assert "errors" not in ask(instance, f"{{ {page} }}")


def insight(answer: Any) -> Any:
    return answer["extensions"]["insight"]


def test_insight_reports_the_storage_calls(instance: App) -> None:
    page = ask(instance, "{ Note___getPage(options: {next: 2}, insight: FULL) { items { _id name } } }")
    (range_,) = (call for call in insight(page)["calls"] if call["kind"] == "range")
    (id_, _) = (item["_id"] for item in page["data"]["Note___getPage"]["items"])
    get = ask(instance, "query($id: ID!) { Note___get(_id: $id, insight: LIGHT) { name } }", id=id_)
    change = "mutation($data: NoteUpdate!) { Note___update(data: $data, insight: FULL) { name } }"
    update = ask(instance, change, data={"_id": id_, "text": "short"})

    assert (range_["index"], range_["items"], range_["readUnits"]) == ("index1", 2, 73.5)
    assert (insight(get)["roundTrips"], insight(get)["items"], insight(get)["readUnits"]) == (1, 1, 74)
    assert insight(get)["writeUnits"] == 0
    read, commit = (call for call in insight(update)["calls"] if call["bytes"])
    assert (read["kind"], read["readUnits"]) == ("get", 74)
    assert (commit["kind"], commit["writeUnits"]) == ("commit", 294 * 2)
    assert insight(update)["writeUnits"] == commit["writeUnits"]


def test_storage_calls_are_not_reported_unless_requested(instance: App) -> None:
    assert "extensions" not in ask(instance, "{ Note___getPage { totalCount } }")


def test_the_query_cost_limit_comes_from_the_settings(tmp_path: Path) -> None:
    (tmp_path / "model.graphql").write_text(MODEL)
    built = App(Settings(home=tmp_path, model=tmp_path / "model.graphql", query_cost=100))
    page = """{ Note___getPage(options: {next: 1, filter_exp: "%s"}) { items { name } } }"""

    # Each character costs 1.
    assert "errors" not in ask(built, page % "name == ''".ljust(99))
    assert "is 102. The maximum is 100." in ask(built, page % "name == ''".ljust(101))["errors"][0]["message"]
    built.close()


def test_a_prepared_model_is_used(tmp_path: Path) -> None:
    """The prepared model differs from the text on purpose, to show which of them is used."""
    file = tmp_path / "model.graphql"
    file.write_text(MODEL)
    other = read_model(MODEL.replace("Notes", "Prepared"), "other")
    prepared_file(file).write_bytes(prepare(other, MODEL.encode()))

    assert App(Settings(home=tmp_path, model=file)).model.application == "Prepared"


def test_an_outdated_prepared_model_is_ignored(tmp_path: Path) -> None:
    file = tmp_path / "model.graphql"
    prepared_file(file).write_bytes(prepare(read_model(MODEL, "model"), MODEL.encode()))
    file.write_text(MODEL.replace("Notes", "Changed"))

    assert App(Settings(home=tmp_path, model=file)).model.application == "Changed"


@pytest.mark.parametrize(("function", "counts_in_memory"), [(None, True), ("members", False)])
def test_only_a_server_counts_attempts_in_memory_while_their_store_fails(
    function: str | None, counts_in_memory: bool, tmp_path: Path
) -> None:
    """Functions run in many processes, and each would admit its own number of wrong passwords."""
    (tmp_path / "model.graphql").write_text(MODEL)
    settings = Settings(home=tmp_path, model=tmp_path / "model.graphql", function=function)
    app = App(settings)
    assert isinstance(app.attempts, AttemptsWithFallback) is counts_in_memory
    app.close()


@pytest.mark.parametrize("page", ["setPassword", "confirmEmail"])
def test_the_setting_of_the_application_reaches_the_pages(page: str, tmp_path: Path) -> None:
    (tmp_path / "model.graphql").write_text(MODEL)
    url = "https://app.example.com/notes"
    settings = Settings(home=tmp_path, model=tmp_path / "model.graphql", app_url=url)
    built = App(settings)
    resource = f"/public/administration/{page}"
    query = {"result": ["done"]}
    event = {
        "httpMethod": "GET",
        "resource": resource,
        "path": resource,
        "multiValueQueryStringParameters": query,
    }
    assert f'<a href="{url}">Open Notes</a>' in http_handler("members", built)(event)["body"]
    built.close()


@pytest.mark.parametrize("function", ["graphql", "tokens", "signin", "members", "files", "download"])
def test_each_function_shows_browsers_a_page_for_an_unknown_address(function: str, tmp_path: Path) -> None:
    (tmp_path / "model.graphql").write_text(MODEL)
    built = App(Settings(home=tmp_path, model=tmp_path / "model.graphql"))
    event = {
        "httpMethod": "GET",
        "resource": CATCH_ALL,
        "path": "/x",
        "pathParameters": {"proxy": "x"},
        "multiValueHeaders": {"accept": ["text/html"]},
    }
    answer = http_handler(function, built)(event)
    assert (answer["statusCode"], "Notes</span> Page not found</h1>" in answer["body"]) == (404, True)
    built.close()
