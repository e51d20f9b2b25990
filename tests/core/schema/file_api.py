"""The GraphQL API over objects with files, which are put into the store without uploads."""

import json
from collections.abc import Mapping
from typing import Any

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.files.stored_file import StoredFile
from stratabase.core.domain.objects.change import Change, Modification
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.objects.version import format_version_instant, with_version_times
from stratabase.core.model.model import Model
from stratabase.core.model.reading import read_model
from stratabase.core.model.types.base import Stored
from stratabase.core.operations.context import Services
from stratabase.core.schema.executor import SchemaExecutor
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.repository import Repository
from tests.core.schema.graph_api import OrderedIds
from tests.fakes import ADMINISTRATOR, NOON, FrozenClock, unlimited_budget

BASE_URL = "https://api.example.com/prod"
FILES_MODEL = """
extend schema
  @application(name: "Gallery")
  @profile(name: "Administrator", administrator: true)
  @profile(name: "Visitor")

type Painter @class(versioned: true) @grant(profile: "Visitor", allow: [READ], where: "name != 'hidden'") {
  name: String!
  portrait: File
  contract: File @grant(profile: "Visitor", allow: [])
  has_portrait: Boolean @derived(expression: "!isNull(portrait)")
  sketches: [Sketch!] @composition(whole: "painter")
  works: [Work!] @association(opposite: "painter")
}

type Sketch @class(versioned: true, exposed: true) { name: String  scan: File }

"Without versions."
type Work @grant(profile: "Visitor", allow: [READ]) @index(attributes: ["name"]) {
  name: String!
  picture: File
  painter: Painter @association(opposite: "works")
}

type House @class(kind: SINGLETON) @grant(profile: "Visitor", allow: [READ]) { logo: File }
"""
VISITOR = Caller("m7", "visitor", "Visitor")


def stored_file(file_id: str, name: str) -> Mapping[str, Stored]:
    """Return the stored value of a file that was uploaded at noon."""
    return StoredFile(file_id, name, "image/png", 12, NOON).stored()


class FileApi:
    """Writes one second apart."""

    def __init__(self, engine: Engine) -> None:
        self.model: Model = read_model(FILES_MODEL, "gallery.graphql")
        self.entities = Repository(engine, self.model)
        self.clock = FrozenClock()
        self.services = Services(self.model, self.entities, self.clock, OrderedIds(), unlimited_budget)
        self.executors = [
            SchemaExecutor(self.services, _failed, compile_answers=way) for way in (False, True)
        ]

    def body(self, query: str, caller: Caller = ADMINISTRATOR, **variables: Any) -> Any:
        """Return the response to a request. To a query, both executors must return the same, every time."""
        mutates = query.startswith("mutation")
        bodies = [
            executor.execute(query, variables, None, caller, "trace", base_url=BASE_URL).body
            for executor in (self.executors[:1] if mutates else self.executors * 3)
        ]
        assert set(bodies) == {bodies[0]}
        return json.loads(bodies[0])

    def ask(self, query: str, caller: Caller = ADMINISTRATOR, **variables: Any) -> Any:
        """Return the value of the only field of a response without errors."""
        body = self.body(query, caller, **variables)
        assert "errors" not in body, body["errors"]
        (value,) = body["data"].values()
        return value

    def create(self, class_name: str, **data: Any) -> str:
        """Create an object, one second later, and return its id."""
        self.clock.instant += 1000
        query = f"mutation($data: {class_name}Create!) {{ {class_name}___create(data: $data) {{ _id }} }}"
        return str(self.ask(query, data=data)["_id"])

    def attach(self, class_name: str, id_: str, attribute: str, file: Mapping[str, Stored] | None) -> int:
        """Store a file in an object, one second later, and return that instant."""
        self.clock.instant += 1000
        now = self.clock.instant
        (before,) = self.entities.read([Reference(class_name, id_)])
        assert before is not None
        class_ = self.model.classes[class_name]
        state = with_version_times(class_, {**before.state, attribute: file}, now)
        after = Entity(before.reference, state, before.commit_ids, start=now)
        self.entities.commit(Change(self.services.ids.new(), now, (Modification(before, after),)))
        return now

    def at(self, instant: int) -> str:
        """Return an instant as clients send it."""
        return format_version_instant(instant, ADMINISTRATOR.formats)


def _failed(error: BaseException, _: str) -> None:
    raise error
