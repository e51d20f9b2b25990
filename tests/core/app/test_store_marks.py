"""An instance checks that its stores belong together: it refuses to start, or answers 503."""

import json
import logging
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stratabase.core.app.app import App
from stratabase.core.app.store_marks import open_marked_stores
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.store_mark import StoreMark, StoreRefused
from stratabase.core.settings import Settings
from stratabase.members.app.member_services import MemberServices
from stratabase.values.messages import verbatim
from stratabase_aws.functions import handlers, http_handler
from tests import ministack
from tests.service import PASSWORD, basic

MODEL = """extend schema @application(name: "Notes") @profile(name: "Administrator", administrator: true)
type Note { name: String }
"""
_numbers = count(1)


@pytest.fixture
def on_sqlite(tmp_path: Path) -> Settings:
    (tmp_path / "model.graphql").write_text(MODEL)
    return Settings(home=tmp_path, model=tmp_path / "model.graphql")


@pytest.fixture
def on_dynamodb(on_sqlite: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    number = next(_numbers)
    return replace(
        on_sqlite,
        store="dynamodb",
        endpoint=ministack.endpoint().url,
        create_tables=True,
        table=f"marked-{number}",
        members_table=f"marked-members-{number}",
        bucket=f"marked-{number}",
    )


@pytest.fixture(params=["on_sqlite", "on_dynamodb"])
def settings(request: pytest.FixtureRequest) -> Settings:
    settings: Settings = request.getfixturevalue(request.param)
    return settings


def started(settings: Settings) -> None:
    with closing(App(settings)) as instance:
        instance.mark_stores()


def marks(settings: Settings) -> list[StoreMark | None]:
    with open_marked_stores(settings) as stores:
        return [marked.store.read_mark() for marked in stores]


def change(settings: Settings, kind: str, changed: Callable[[StoreMark], StoreMark]) -> None:
    with open_marked_stores(settings) as stores:
        (store,) = (marked.store for marked in stores if marked.required.kind.value == kind)
        mark = store.read_mark()
        assert mark is not None
        assert store.write_mark(changed(mark), mark)


def test_the_first_start_gives_all_stores_one_id(settings: Settings) -> None:
    assert marks(settings) == [None, None, None]
    started(settings)
    found = marks(settings)
    assert len({mark and mark.instance for mark in found}) == 1
    places = (settings.table, settings.members_table, settings.bucket) if settings.bucket else ("", "", "")
    assert [mark and (mark.kind.value, mark.place) for mark in found] == [
        *zip(("objects", "members", "files"), places, strict=True)
    ]
    started(settings)
    assert marks(settings) == found


@pytest.mark.parametrize("kind", ["objects", "members", "files"])
def test_a_store_of_another_instance_prevents_the_start(settings: Settings, kind: str) -> None:
    started(settings)
    change(settings, kind, lambda mark: replace(mark, instance="another"))
    with pytest.raises(StoreRefused, match=r"belongs to the instance .* run `stratabase store adopt`"):
        started(settings)
    with pytest.raises(StoreRefused, match="but this service is the instance mine"):
        started(replace(settings, instance="mine"))


def respond(instance: App) -> Any:
    """Return the response to the request of a member for a page of objects."""
    body = json.dumps({"query": "{ Note___getPage { items { name } } }"})
    event = {
        "resource": "/auth/api/graphql/{application}",
        "path": "/auth/api/graphql/Notes",
        "httpMethod": "POST",
        "headers": {
            "Authorization": basic("admin", PASSWORD),
            "Content-Type": "application/json",
        },
        "pathParameters": {"application": "Notes"},
        "requestContext": {"requestId": "r", "path": "/live/auth/api/graphql/Notes", "stage": "live"},
        "body": body,
    }
    return http_handler("graphql", instance)(event)


@pytest.mark.parametrize("kind", ["objects", "members"])
def test_a_function_answers_503_and_logs_what_to_do(
    on_dynamodb: Settings, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    settings = replace(on_dynamodb, instance="mine", admin_password=PASSWORD)
    with closing(App(settings)) as instance:
        instance.mark_stores()
        instance.part(MemberServices).create_first_administrator()
        assert respond(instance)["statusCode"] == 200
    change(settings, kind, lambda mark: replace(mark, instance="another"))

    # Loggers of the same name share a level, also that of an earlier test.
    caplog.set_level(logging.INFO, logger="stratabase")
    caplog.clear()
    with closing(App(settings)) as instance:
        answer = respond(instance)

    assert answer["statusCode"] == 503, answer
    assert "another" not in answer["body"]
    logged = [str(vars(record).get("reason")) for record in caplog.records]
    assert len(logged) == 1
    assert "or run `stratabase store adopt` to make the store a part of this instance" in logged[0]


def sweep(instance: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """Invoke the scheduled function."""
    monkeypatch.setattr(handlers, "app", lambda: instance)
    context = SimpleNamespace(get_remaining_time_in_millis=lambda: 300_000)
    handlers.sweep_handler()({}, context)


def test_the_sweep_removes_nothing_from_the_bucket_of_another_instance(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    started(settings)
    change(settings, "files", lambda mark: replace(mark, instance="another"))
    with closing(App(settings)) as instance, pytest.raises(StoreRefused):
        sweep(instance, monkeypatch)


def test_a_sweep_that_cannot_read_a_mark_removes_no_files_and_the_next_one_does(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(App(settings)) as instance:
        instance.blobs.put("pending/taken", [b"x"], 1)
        mark = instance.mark_stores

        def fail() -> None:
            raise Unavailable(verbatim("busy"))

        monkeypatch.setattr(instance, "mark_stores", fail)
        sweep(instance, monkeypatch)
        assert marks(settings) == [None, None, None]
        assert instance.blobs.size("pending/taken") == 1
        monkeypatch.setattr(instance, "mark_stores", mark)
        sweep(instance, monkeypatch)
        assert instance.blobs.size("pending/taken") is None
    assert None not in marks(settings)
