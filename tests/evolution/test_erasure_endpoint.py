"""Administrators erase objects by DELETE, and get a receipt."""

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import jsonschema_rs  # schemathesis needs it
import pytest

from stratabase.core.app.app import App
from stratabase.core.domain.caller import Caller
from stratabase.core.domain.write.commands import Create, Update
from stratabase.core.http.api.openapi.document import ServiceInfo, openapi_document
from stratabase.core.http.base.authentication import Authentication
from stratabase.core.http.base.messages import Request
from stratabase.core.http.handler import HttpHandler
from stratabase.core.jobs.runner import Runner
from stratabase.core.observe import Log
from stratabase.core.operations.write.services import save
from stratabase.core.settings import Settings
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase.evolution.app.erasures import erasure_jobs
from stratabase.evolution.app.routes import service_routes
from stratabase.evolution.erasure.endpoint import erasure_endpoint
from stratabase.members.sign_in.sign_in import BasicAuthenticator

MODEL = """extend schema @application(name: "Shop") @profile(name: "Boss", administrator: true)
type Pet @class(versioned: true) { name: String }
"""
ADDRESS = "/auth/administration/erasure/{class}/{id}"
BOSS = Caller("1", "root", "Boss", administrator=True)
Delete = Callable[..., tuple[int, Any]]


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    (tmp_path / "model.graphql").write_text(MODEL)
    environment = {"STRATABASE_HOME": str(tmp_path), "STRATABASE_MODEL": str(tmp_path / "model.graphql")}
    with closing(App(Settings.from_environment(environment))) as app:
        app.mark_stores()
        yield app


@pytest.fixture
def delete(app: App) -> Delete:
    """Return a function that sends a DELETE, and returns the status and the content of the response."""
    (route,) = (each for each in service_routes() if each.address == ADDRESS)
    authentication = Authentication({"Basic": BasicAuthenticator(_sign_in)})
    handler = HttpHandler({ADDRESS: route.build(app)}, authentication)

    def send(class_name: str, id_: str, username: str = "root", method: str = "DELETE") -> tuple[int, Any]:
        credentials = base64.b64encode(f"{username}:secret".encode()).decode()
        headers = {"authorization": (f"Basic {credentials}",)} if username else {}
        address = ADDRESS.replace("{class}", class_name).replace("{id}", id_)
        parameters = {"class": class_name, "id": id_}
        reply = handler.answer(Request(method, address, ADDRESS, parameters=parameters, headers=headers))
        if reply.status in {200, 202}:
            assert dict(reply.headers)["Cache-Control"] == "no-store"
        return reply.status, json.loads(reply.body) if reply.body else None

    return send


def _sign_in(username: str, *_: Any) -> Caller:
    return Caller("1", username, "Boss", administrator=username == "root")


def new_pet(app: App) -> str:
    pet = save(app.services, Create("Pet", {"name": "Rex"}), BOSS).reference
    save(app.services, Update(pet, {"name": "Max"}), BOSS)
    return pet.id


def test_an_administrator_gets_a_receipt(app: App, delete: Delete) -> None:
    id_ = new_pet(app)
    for _ in range(2):
        status, receipt = delete("Pet", id_)
        assert status == 200
        assert receipt | {"erasedOn": ""} == {
            "class": "Pet",
            "id": id_,
            "complete": True,
            "erasedOn": "",
            "removed": {"objects": 1, "versions": 2},
            "references": [],
            "hasMoreReferences": False,
            "copies": [{"kind": "BACKUPS", "until": None}, {"kind": "EXPORTS", "until": None}],
        }
    document = openapi_document(ServiceInfo("Shop", "1", ()), {ADDRESS: erasure_endpoint(lambda *_: {})})
    schema = {"$ref": "#/components/schemas/Erasure", "components": document["components"]}
    jsonschema_rs.validator_for(schema).validate(receipt)


def test_others_and_wrong_requests_are_refused(app: App, delete: Delete) -> None:
    id_ = new_pet(app)
    assert [delete("Pet", id_, name)[0] for name in ("", "hana")] == [401, 403]
    assert [delete("Pet", id_, method=method)[0] for method in ("GET", "POST", "OPTIONS")] == [405, 405, 204]
    for class_name, unknown in (("Pet", "nothing"), ("Pets", id_), ("_User", "1"), ("Pet", "\0")):
        status, problem = delete(class_name, unknown)
        assert (status, problem["title"]) == (404, "Not Found")
    assert app.entities.read([save(app.services, Create("Pet"), BOSS).reference]) != [None]
    assert delete("Pet", id_)[0] == 200


def test_a_remote_store_leaves_the_rest_to_the_sweep(
    app: App, delete: Delete, monkeypatch: pytest.MonkeyPatch
) -> None:
    id_ = new_pet(app)
    with monkeypatch.context() as remote:
        remote.setattr(SqliteEngine, "is_embedded", False)
        status, receipt = delete("Pet", id_)
        assert (status, receipt["complete"]) == (202, False)
    for _step in Runner(app.clock.now, Log()).steps(erasure_jobs(app)):
        pass
    status, receipt = delete("Pet", id_)
    assert (status, receipt["complete"], receipt["removed"]) == (200, True, {"objects": 1, "versions": 2})
