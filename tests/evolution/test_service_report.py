"""What administrators read about the running service."""

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import jsonschema_rs  # schemathesis needs it
import pytest

from stratabase import __version__
from stratabase.core.app.app import App
from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import StoreOutOfService
from stratabase.core.domain.objects.change import Change, Creation
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.http.api.openapi.document import ServiceInfo, openapi_document
from stratabase.core.http.base.authentication import Authentication
from stratabase.core.http.base.messages import Request
from stratabase.core.http.handler import HttpHandler
from stratabase.core.model.reading import read_model
from stratabase.core.settings import Settings
from stratabase.core.store.engine.port import Key
from stratabase.core.store.indexes.index_states import index_states
from stratabase.core.store.renamed_repository import open_repository
from stratabase.evolution.app.routes import service_routes
from stratabase.evolution.backfill.class_heads import BuildProgress
from stratabase.evolution.backfill.reindex import Reindex
from stratabase.evolution.backfill.served_models import record_served_model
from stratabase.evolution.service_endpoint import service_endpoint
from stratabase.evolution.service_report import report_service
from stratabase.members.sign_in.sign_in import BasicAuthenticator
from tests.contract.engine.reference import ReferenceEngine
from tests.fakes import FrozenClock
from tests.rows import each_row

HEAD = 'extend schema @application(name: "Shop") @profile(name: "Boss", administrator: true)\n'
OLD = HEAD + "type Pet { name: String }"
NEW = HEAD + 'type Pet @unique(attributes: ["name"]) { name: String age: Int }'
ADDRESS = "/auth/administration/service"
SECRETS = {
    "STRATABASE_ADMIN_PASSWORD": "correct horse battery",
    "STRATABASE_SMTP": "smtps://hana:open-sesame@mail.example.com",
}


class Shop:
    """A folder with a model and a store."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "model.graphql"
        self.environment = {"STRATABASE_HOME": str(folder / "home"), "STRATABASE_MODEL": str(self.file)}

    @contextmanager
    def serve(self, text: str, **environment: str) -> Iterator[App]:
        """Serve a model, as a start of the service does."""
        self.file.write_text(text)
        with closing(App(Settings.from_environment({**self.environment, **environment}))) as app:
            app.mark_stores()
            record_served_model(app)
            app.entities.unbuilt()  # the store learns what the model needs
            yield app


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def test_the_report_says_what_serves_and_where(shop: Shop) -> None:
    with shop.serve(NEW) as app:
        report = report_service(app)
    assert (report["version"], report["application"]) == (__version__, "Shop")
    assert report["health"] == {"store": "reachable"}
    objects, members, files = report["stores"]
    assert objects["place"] == str((shop.file.parent / "home").resolve())
    assert objects["layout"] >= 1
    assert objects["instance"]
    assert [each["kind"] for each in (members, files)] == ["members", "files"]
    (index,) = report["indexes"]
    assert index.pop("since").endswith("Z")
    assert index == {"class": "Pet", "name": "@unique(name)", "state": "READY"}
    assert report["model"]["text"] == NEW
    assert [each["changes"] for each in report["model"]["comparisons"]] == [[]]


def test_the_settings_in_force_show_no_secret(shop: Shop) -> None:
    with shop.serve(NEW, **SECRETS, STRATABASE_STORE="sqlite", STRATABASE_INTROSPECTION="off") as app:
        report = report_service(app)
    settings = {each["name"]: each for each in report["settings"]}
    assert settings["STRATABASE_INTROSPECTION"]["value"] == "off"
    assert settings["PORT"]["value"] == "8000"
    is_default = {name: settings[name]["isDefault"] for name in ("PORT", "STRATABASE_INTROSPECTION")}
    assert is_default == {"PORT": True, "STRATABASE_INTROSPECTION": False}
    assert settings["STRATABASE_INSTANCE"]["value"] is None
    assert {"STRATABASE_TOKEN_MINUTES", "STRATABASE_TRUSTED_PROXIES"} & settings.keys()
    for name in SECRETS:
        assert settings[name] == {**settings[name], "isSet": True}
        assert not {"value", "isDefault"} & settings[name].keys()
    shown = json.dumps(report)
    assert not any(secret in shown for secret in ("horse", "sesame", "hana"))

    with shop.serve(NEW) as app:
        settings = {each["name"]: each for each in report_service(app)["settings"]}
    assert not any(settings[name]["isSet"] for name in SECRETS)


def test_the_report_compares_the_model_with_those_that_served(shop: Shop) -> None:
    with shop.serve(OLD):
        pass
    with shop.serve(NEW) as app:
        record_served_model(app, OLD)
        now, before = report_service(app)["model"]["comparisons"]
        assert (now["previous"], now["changes"]) == (False, [])
        assert before["previous"]
        assert [(each["severity"], each["subject"], each["change"]) for each in before["changes"]] == [
            ("REINDEX", "Pet @unique(name)", "added"),
            ("SAFE", "Pet.age", "Int added"),
        ]

        # The file is edited, but not served yet.
        shop.file.write_text(OLD)
        model = report_service(app)["model"]
        assert model["text"] == NEW
        assert [each["change"] for each in model["comparisons"][0]["changes"]] == ["removed", "removed"]
        shop.file.write_text("type")
        model = report_service(app)["model"]
        assert model["comparisons"] == []
        assert "model.graphql:1" in model["problem"]


def test_an_index_is_ready_when_it_is_built() -> None:
    engine, classes = ReferenceEngine(), "type Owner { name: String } enum Kind { CAT DOG }\n"
    before = read_model(f"{HEAD}{classes} type Pet {{ name: String kind: Kind }}", "old")
    directives = '@unique(attributes: ["called"]) @index(attributes: ["kind", "called"])'
    renamed = 'called: String @renamed(from: "name")'
    after = read_model(f"{HEAD}{classes} type Pet {directives} {{ {renamed} kind: Kind }}", "new")
    pets = open_repository(engine, before)
    assert [*index_states(engine, before)] == []
    _add_pet(pets)
    open_repository(engine, after).unbuilt()
    names = ["@unique(called)", "@index(kind, called)"]
    assert [tuple(each)[:2] for each in index_states(engine, after)] == [("Pet", name) for name in names]
    assert [each.state.value for each in index_states(engine, after)] == ["BUILDING"] * 2

    Reindex(engine, after, sleep=lambda _: None).run("Pet")
    assert [each.state.value for each in index_states(engine, after)] == ["READY"] * 2


def _add_pet(pets: Any) -> None:
    pet = Entity(Reference("Pet", "1"), {"_id": "1", "name": "Rex", "kind": "DOG"})
    pets.commit(Change("c1", FrozenClock().now(), (Creation(pet),)))


def test_the_report_says_how_far_a_build_is(shop: Shop) -> None:
    with shop.serve(OLD) as app:
        _add_pet(app.entities)
    with shop.serve(NEW) as app:
        (index,) = report_service(app)["indexes"]
        assert (index["state"], "builtObjects" in index) == ("BUILDING", False)
        progress = BuildProgress(app.engine, "Pet", [])
        progress.note(Key("Pet#1", ""), 7, ())
        progress.save(())
        report = report_service(app)
        _validator().validate(report)
        assert report["indexes"] == [{**index, "builtObjects": 7}]


def test_the_report_fits_the_schema_in_the_openapi_document(shop: Shop) -> None:
    with shop.serve(OLD), shop.serve(NEW, **SECRETS) as app:
        record_served_model(app, OLD)
        _validator().validate(report_service(app))


def _validator() -> Any:
    """Return the validator of reports that the OpenAPI document describes."""
    info = ServiceInfo("Shop", "1", ())
    document = openapi_document(info, {ADDRESS: service_endpoint(dict)})
    for schema in document["components"]["schemas"].values():
        schema["additionalProperties"] = False
    schema = {"$ref": "#/components/schemas/ServiceReport", "components": document["components"]}
    return jsonschema_rs.validator_for(schema)


@each_row("reached_at_first", [False, True])
def test_the_report_says_what_it_knows_without_the_store(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, *, reached_at_first: bool
) -> None:
    with shop.serve(NEW) as app:

        def fail(*_: Any, **_also: Any) -> Any:
            raise StoreOutOfService("disk is gone")

        for name in ("get", "range", "count", "scan"):
            monkeypatch.setattr(app.engine, name, fail)
        if reached_at_first:  # and then no more
            monkeypatch.setattr(app, "check_store", lambda: None)
        report = report_service(app)
        _validator().validate(report)
    state = "reachable" if reached_at_first else "unreachable"
    assert (report["version"], report["health"], report["indexes"]) == (__version__, {"store": state}, None)
    assert [each["kind"] for each in report["stores"]] == ["objects", "members", "files"]
    assert not any("layout" in each for each in report["stores"])
    assert any(each["name"] == "STRATABASE_MODEL" for each in report["settings"])
    assert (report["model"]["text"], report["model"]["comparisons"]) == (NEW, [])
    assert "can't be reached" in report["model"]["problem"]


@pytest.fixture
def get(shop: Shop) -> Iterator[Callable[..., Any]]:
    """Return a function that sends a GET to the service as a member, or as an administrator."""
    with shop.serve(NEW) as app:
        (route,) = (each for each in service_routes() if each.address == ADDRESS)
        authentication = Authentication({"Basic": BasicAuthenticator(_sign_in)})
        handler = HttpHandler({ADDRESS: route.build(app)}, authentication)

        def send(username: str, method: str = "GET", **query: str) -> Any:
            credentials = base64.b64encode(f"{username}:secret".encode()).decode()
            headers = {"authorization": (f"Basic {credentials}",)}
            values = {name: (value,) for name, value in query.items()}
            return handler.answer(Request(method, ADDRESS, ADDRESS, headers=headers, query=values))

        yield send


def _sign_in(username: str, *_: Any) -> Caller:
    return Caller("1", username, "Boss", administrator=username == "root")


def test_the_report_is_for_administrators_and_kept_nowhere(get: Callable[..., Any]) -> None:
    reply = get("root")
    assert (reply.status, json.loads(reply.body)["application"]) == (200, "Shop")
    assert dict(reply.headers)["Cache-Control"] == "no-store"
    refused = get("hana")
    assert (refused.status, b"Shop" in refused.body) == (403, False)
    assert [get("root", format=each).status for each in ("json", "xml", "yaml")] == [200, 400, 400]
    assert get("root", "POST").status == 405
