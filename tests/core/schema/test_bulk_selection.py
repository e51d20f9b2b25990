"""A bulk service selects what a page with the same options shows, or refuses the options."""

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

from stratabase.core.store.engine.port import Engine
from stratabase_aws.dynamodb.engine import DynamoDBEngine
from tests.contract.engine.engines import DISTANT, engine_fixture
from tests.core.schema.evolving_api import EvolvingApi
from tests.core.schema.random_options import MODEL, RandomOptions, Requested
from tests.soak import count, mostly, seed

ROUNDS = count(120, 5_000)
DELETING_ROUNDS = count(15, 1_000)
TAGS = {"t0": 0, "t1": 1, "t2": 2, "t3": 1, None: None}
"""The sizes of the tags by name."""


engine = engine_fixture(mostly(DISTANT, "dynamodb-ministack"))


@pytest.fixture
def api(engine: Engine) -> EvolvingApi:
    """Five tags, two of which have people."""
    api = EvolvingApi(engine, MODEL)
    fill(api)
    return api


def fill(api: EvolvingApi) -> None:
    """Create the tags that are not there, and their people."""
    there = {each["name"] for each in api.ask("{ Tag___getPage { items { name } } }")["items"]}
    for name, size in TAGS.items():
        if name not in there:
            tag = api.create("Tag", name=name, size=size)
            if name in ("t1", "t2"):
                api.create("Person", name=name, tags=[tag])


class Sent:
    """Sends one set of options to several services."""

    def __init__(self, api: EvolvingApi, requested: Requested) -> None:
        self._api = api
        self._requested = requested

    def __call__(self, operation: str, service: str, selection: str, more: str = "") -> dict[str, Any]:
        """Return the response of a service to the options."""
        literal, declared, given = self._requested
        variables = ", ".join(f"${name}: {type_}" for name, type_ in declared.items())
        head = f"{operation}({variables})" if variables else operation
        query = f"{head} {{ it: Tag___{service}({more}options: {literal}) {{ {selection} }} }}"
        return self._api.body(query, **given)


def messages(response: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the message and the place of each error."""
    return [
        (each["message"], each["extensions"].get("sourceRequestReference", ""))
        for each in response.get("errors", ())
    ]


def has_condition(filter_: Mapping[str, Any] | None) -> bool:
    """Return whether a filter compares an attribute with something, or tests a role."""
    return any(
        any(map(has_condition, value or ()))
        if name in ("AND", "OR")
        else has_condition(value)
        if name == "NOT"
        else value != []
        for name, value in (filter_ or {}).items()
    )


def is_suspicious(value: Any) -> bool:
    """Return whether a part of options has no condition, or is one that a page ignores."""
    if isinstance(value, Mapping):
        return not value or any(is_suspicious(each) for each in value.values())
    if isinstance(value, list):
        return not value or any(is_suspicious(each) for each in value)
    return value is None or not str(value).strip()


def test_a_bulk_service_selects_what_a_page_shows_or_is_refused(api: EvolvingApi) -> None:
    generator = RandomOptions(Random(seed()))
    accepted = refused = 0
    rounds = ROUNDS // 10 if isinstance(api.engine, DynamoDBEngine) else ROUNDS
    for _ in range(rounds):
        options = generator.options()
        requested = generator.written(options)
        send = Sent(api, requested)
        page = send("query", "getPage", "totalCount items { _id }")
        # The update of no attribute writes nothing, and answers the selected objects.
        update = send("mutation", "updateBulk", "totalCount items { _id }", "data: {}, ")
        said = f"{requested} of {options}"
        if any("estimated cost" in message for message, _ in messages(update)):
            continue  # the filter follows many roles
        assert messages(send("query", "validateDeleteBulk", "isValid")) == messages(update), said
        assert messages(send("query", "validateUpdateBulk", "isValid", "data: {}, ")) == messages(update), (
            said
        )
        if "errors" in page:
            assert "errors" in update, said
        if "errors" in update:
            assert update.get("data") == {"it": None}, (said, update)
            is_complete = requested.declared.keys() == requested.given.keys()
            certain = {key: options[key] for key in ("filter", "filter_exp") if key in options}
            assert "errors" in page or not certain or not is_complete or is_suspicious(certain), said
            refused += 1
            continue
        found = update["data"]["it"]
        if found["items"]:
            assert {"filter", "filter_exp"} & options.keys(), said
            assert has_condition(options.get("filter", {"name___ne": ""})), said
            assert options.get("filter_exp", "true").strip(), said
        assert found["items"] == page["data"]["it"]["items"], said
        assert found["totalCount"] == len(found["items"])
        accepted += 1
    assert accepted > rounds / 10
    assert refused > rounds / 10


def test_a_deletion_in_bulk_deletes_what_a_page_shows_or_nothing(api: EvolvingApi) -> None:
    generator = RandomOptions(Random(seed()))
    left = "{ Tag___getPage { items { _id } } }"
    is_slow = isinstance(api.engine, DynamoDBEngine)
    for _ in range(DELETING_ROUNDS // 10 if is_slow else DELETING_ROUNDS):
        send = Sent(api, generator.written(generator.options()))
        before = api.ask(left)["items"]
        page = send("query", "getPage", "items { _id }")
        deletion = send("mutation", "deleteBulk", "deleted")
        gone = [each for each in before if each not in api.ask(left)["items"]]

        if "errors" in deletion:
            assert not gone
        else:
            assert gone == sorted(page["data"]["it"]["items"], key=lambda each: str(each["_id"]))
            assert deletion["data"]["it"]["deleted"] == len(gone)
        fill(api)
