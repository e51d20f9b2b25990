"""A company with a person whose values are marks, in every kind of attribute, role and item."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.files.pending_file import SWEEP_DELAY
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.objects.idempotency import IdempotencyKey
from stratabase.core.jobs.runner import Runner
from stratabase.core.model.reading import read_model
from stratabase.core.observe import Log
from stratabase.core.operations.file_ports import BlobStore, FileStores
from stratabase.core.schema.executor import SchemaExecutor
from stratabase.core.store.engine.port import Engine, Item
from stratabase.core.store.file_ledger import EngineFileLedger
from stratabase.core.store.layout import keys
from stratabase.core.store.write import idempotency
from stratabase.evolution.erasure.erase import Erasures
from tests.core.operations.files.file_scenario import FileScenario, reference_to
from tests.core.schema.graph_api import _failed
from tests.everything_model import FILE

BOSS = Caller("m1", "boss", "Administrator", administrator=True)
MARK = "zzMark"
"""What all values of the erased person and its parts begin with, in any case, because keys can be folded."""
_FOLDED = """  nickname: String @text(compare: FOLDED)
  alias: String @text(compare: FOLDED_NO_ACCENTS)
"""
MODEL = read_model(
    FILE.read_text()
    .replace("  about: Text\n", f"  about: Text\n{_FOLDED}")
    .replace(
        '  @index(attributes: ["last_name"])',
        """  @unique(attributes: ["nickname"])
  @unique(attributes: ["born", "alias"])
  @index(attributes: ["last_name"])
  @index(attributes: ["nickname"])
  @index(attributes: ["alias", "born"])""",
    ),
    "company.graphql",
)
"""The model that uses every feature, with attributes of people that indexes have as folded text."""
OTHER = (
    'team: "{team}", skills: ["{skill}"], contract: {{starts_on: "2020-01-31"}}, phones: [{{digits: "1"}}]'
)


class Company:
    """A service with people, over stores that can be interrupted."""

    def __init__(
        self,
        engine: Engine,
        blobs: BlobStore,
        vacuum: Callable[[], bool] | None = None,
    ) -> None:
        self.engine, self.blobs, self.vacuum = engine, blobs, vacuum
        self.scenario = FileScenario(engine, blobs, MODEL)
        self.clock = self.scenario.clock
        self._executor = SchemaExecutor(self.scenario.services, _failed)
        self._keys = 0

    def send(self, mutation: str, **variables: Any) -> Any:
        """Send a mutation of one field with an idempotency key, and return the value of the field."""
        self._keys += 1
        self.clock.instant += 10
        answer = json.loads(self.repeat(mutation, **variables))
        assert "errors" not in answer, answer
        (value,) = answer["data"].values()
        return value

    def repeat(self, mutation: str, **variables: Any) -> str:
        """Send a mutation with the last idempotency key, and return the answer."""
        head = "mutation($photo: PendingFileReference)" if variables else "mutation"
        return self._executor.execute(
            f"{head} {{ {mutation} }}",
            variables,
            None,
            BOSS,
            "trace",
            read_key=lambda: IdempotencyKey(f"key{self._keys}", f"fingerprint{self._keys}"),
        ).body.decode()

    def try_to_send(self, mutation: str) -> bool:
        """Send a mutation that may be refused; return whether it was not."""
        self._keys += 1
        return "errors" not in json.loads(self.repeat(mutation))

    def ask(self, query: str) -> Any:
        """Send a query, and return its data."""
        return json.loads(self._executor.execute(query, {}, None, BOSS, "trace").body)["data"]

    def fill(self) -> Reference:
        """Create everything; return the person with the marks."""
        self.team = self.send('Team___create(data: {name: "Sales"}) { _id }')["_id"]
        self.skill = self.send('Skill___create(data: {name: "dance"}) { _id }')["_id"]
        others = OTHER.format(team=self.team, skill=self.skill)
        photo = self.scenario.upload(
            f"{MARK}bytes".encode(), "photo", "Person", name=f"{MARK}.png", caller=BOSS
        )
        marked = self.send(
            f"""Person___create(data: {{last_name: "{MARK}Name", email: "{MARK}@x.org", about: "{MARK}About",
            nickname: "{MARK}Nick", alias: "{MARK}Älias",
            height: 191, born: "1971-02-03", mood: BAD, photo: $photo,
            team: "{self.team}", skills: ["{self.skill}"], contract: {{starts_on: "2020-01-31"}},
            home: {{street: "{MARK}Street"}},
            phones: [{{digits: "{MARK}1"}}, {{digits: "{MARK}2"}}]}})
            {{ _id last_name phones {{ items {{ _id }} }} }}""",
            photo=reference_to(photo),
        )
        id_, phone = marked["_id"], marked["phones"]["items"][0]["_id"]
        self.pupil = self.send(
            f'Person___create(data: {{last_name: "Pupil", mentor: "{id_}", {others}}}) '
            "{ _id mentor { last_name } }"
        )["_id"]
        self.former = self.send(
            f'Person___create(data: {{last_name: "Former", mentor: "{id_}", {others}}}) {{ _id }}'
        )["_id"]
        self.send(
            f'Person___update(data: {{_id: "{self.former}", mentor: {{remove: true}}}}) {{ last_name }}'
        )
        self.project = self.send(
            f'Project___create(data: {{title: "P", members: ["{id_}", "{self.pupil}"]}}) {{ _id }}'
        )["_id"]
        self.led = self.send(f'Team___create(data: {{name: "Led", lead: "{id_}"}}) {{ _id }}')["_id"]
        # Former values, a former part, a former mentor and a former file.
        self.send(
            f"""Person___update(data: {{_id: "{id_}", last_name: "{MARK}Other",
            mentor: {{set: "{self.former}"}},
            phones: {{delete: ["{phone}"], create: [{{digits: "{MARK}3"}}]}}}}) {{ about }}"""
        )
        self.send(
            f'Person___update(data: {{_id: "{id_}", mentor: {{remove: true}}, photo: null}}) {{ email }}'
        )
        self.send(
            f'Person___updateBulk(data: {{salary: 5}}, options: {{filter: {{email___eq: "{MARK}@x.org"}}}}) '
            "{ totalCount }"
        )
        return Reference("Person", id_)

    def erasures(self, engine: Engine | None = None, blobs: BlobStore | None = None) -> Erasures:
        """Return the erasures of a process with these stores, by default those of the company."""
        engine, blobs = engine or self.engine, blobs or self.blobs
        scenario = FileScenario(engine, blobs, MODEL)
        scenario.clock, scenario.services.clock.instant = self.clock, self.clock.instant  # type: ignore[attr-defined]
        files = FileStores(lambda: blobs, EngineFileLedger(engine, MODEL))
        return Erasures(scenario.services, MODEL, engine, files, vacuum=self.vacuum)

    def sweep(self) -> None:
        """Do all work that is left, as jobs do."""
        for _ in range(2):
            for _step in Runner(self.clock.now, Log()).steps(self.erasures().kinds()):
                pass
            self.scenario.sweep_once()
            self.clock.instant += SWEEP_DELAY

    def traces(self, *texts: str) -> list[str]:
        """Return where one of some texts is stored, in any case."""
        wanted = [text.lower() for text in texts]
        found = [
            f"{item}"
            for page in self.engine.scan()
            for item in page
            if any(text in shown.lower() for shown in _shown(item) for text in wanted)
        ]
        for blob in self.blobs.list(""):
            content = b"".join(self.blobs.read(blob.key)).lower()
            if any(text.encode() in content for text in wanted):
                found.append(blob.key)
        return found


def _shown(item: Item) -> Iterator[str]:
    yield from (*item.key, str(dict(item.attributes)), item.state or "", str(dict(item.places)))
    if keys.is_idempotency_record(item.key):
        yield idempotency.read_record(item).answer
