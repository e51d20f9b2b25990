"""Random histories of a company: writes through the repository, as operations make them."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from random import Random
from types import MappingProxyType

from stratabase.core.domain.files.stored_file import file_key
from stratabase.core.domain.objects.change import Effect, LinkCreation, LinkDeletion
from stratabase.core.domain.objects.commit_refusals import CommitRefusal
from stratabase.core.domain.objects.entity import Reference, RoleName, SerialName
from stratabase.core.domain.objects.lock import Lock
from stratabase.core.model.model import ClassKind, Index, Model, Unique
from stratabase.core.operations.ports import EntityRepository
from stratabase.core.store.renamed_repository import open_repository
from tests.contract.versions.models import named, remembering
from tests.contract.versions.versioned_objects import VersionedObjects
from tests.core.store.graphs import key, many, one, parts, whole
from tests.models import attribute, model
from tests.transfer.stores import Store

_EMPLOYEE = named(
    "Employee",
    key("team", "Team", "members"),
    key("desk", "Desk", "owner"),
    key("room", "Room", "people"),
    parts("addresses", "Address", "employee"),
    many("projects", "Project", "people"),
    many("tasks", "Task", "owner"),
    many("fans", "Employee"),
    uniques=(Unique(("code",)), Unique(("name", "team"))),
)
_MORE = {name: attribute(name, type_) for name, type_ in (("photo", "File"), ("badge", "Serial"))}
COMPANY = model(
    remembering(
        replace(
            _EMPLOYEE,
            attributes=MappingProxyType({**_EMPLOYEE.attributes, **_MORE}),
            indexes=(Index(("name",)), Index(("team", "name"))),
        )
    ),
    remembering(named("Team", many("members", "Employee", "team"))),
    remembering(named("Address", whole("employee", "Employee", "addresses"))),
    named("Desk", one("owner", "Employee", "desk")),
    named("Room", many("people", "Employee", "room"), many("lamps", "Project", required=True)),
    named("Task", key("owner", "Employee", "tasks", required=True), key("checker", "Team", required=True)),
    named("Project", many("people", "Employee", "projects")),
    remembering(named("Settings", kind=ClassKind.SINGLETON)),
)
"""Versioned classes and others, with each way to store an association, unique values, indexes and files."""

PROJECTS, FANS = RoleName("Employee", "projects"), RoleName("Employee", "fans")
LAMPS = RoleName("Room", "lamps")
_CLASSES = ("Team", "Employee", "Desk", "Room", "Project", "Task")
_FILE_IDS = "0123456789abcdefghijklmnopqrstuv"


class RandomCompany:
    """Objects of the company model, which change at random."""

    def __init__(self, entities: EntityRepository, random: Random) -> None:
        self._objects = VersionedObjects(entities)
        self._entities = entities
        self._random = random
        self._ids: dict[str, list[str]] = {name: [] for name in _CLASSES}
        self.files: dict[str, bytes] = {}
        """By id: the bytes of the files that were given to employees."""

    def grow(self, objects: int) -> None:
        """Create objects, and change others meanwhile."""
        for number in range(objects):
            class_name = self._random.choice([*self._ids, "Employee", "Employee"])
            id_ = f"{class_name[:2].lower()}{number:06d}"
            self._create(class_name, id_)
            if self._objects.find(class_name, id_):
                self._ids[class_name].append(id_)
            for _ in range(self._random.randint(0, 2)):
                self._change()
        self._entities.next_serials({SerialName("Employee", "badge"): objects})

    def _create(self, class_name: str, id_: str) -> None:
        values = self._values(class_name, id_)
        if class_name == "Task" and not {"owner", "checker"} <= values.keys():
            return
        effects: list[Effect] = [self._objects.creation(class_name, id_, **values)]
        if class_name == "Employee":
            ids = [f"a{id_}{number}" for number in range(self._random.randint(0, 2))]
            effects = [self._objects.creation(class_name, id_, **values, addresses=ids)]
            effects += [self._objects.creation("Address", each, name="x", employee=id_) for each in ids]
        elif class_name == "Room":
            if not self._ids["Project"]:
                return
            effects.append(LinkCreation(LAMPS, id_, self._random.choice(self._ids["Project"])))
        self._try(lambda: self._objects.commit(*effects))

    def _change(self) -> None:
        class_name = self._random.choice([*_CLASSES, "Employee", "Employee"])
        if not self._ids[class_name]:
            return
        id_ = self._random.choice(self._ids[class_name])
        present = self._objects.find(class_name, id_)
        chance = self._random.random()
        if present is None:
            if class_name in {"Employee", "Team"}:
                values = self._values(class_name, id_)
                self._try(lambda: self._objects.restore(class_name, id_, **values))
        elif chance < 0.15:
            self._try(lambda: self._delete(class_name, id_))
        elif chance < 0.25 and class_name == "Employee":
            lock = Lock("someone", "Some One", self._objects.clock + 3_600_000)
            reference = Reference(class_name, id_)
            self._try(lambda: self._entities.lock(f"lock{chance}", [reference], lock, self._objects.clock))
        elif chance < 0.5 and class_name == "Employee":
            role = self._random.choice([PROJECTS, FANS])
            if others := self._ids["Project" if role is PROJECTS else "Employee"]:
                self._link(role, id_, self._random.choice(others))
        else:
            self._try(lambda: self._objects.update(class_name, id_, **self._values(class_name, id_)))

    def _delete(self, class_name: str, id_: str) -> None:
        parts = self._objects.get(class_name, id_).state.get("addresses") or ()
        assert not isinstance(parts, str | int)
        deletions = [self._objects.deletion("Address", each) for each in parts]
        self._objects.commit(self._objects.deletion(class_name, id_), *deletions)

    def _link(self, role: RoleName, owner: str, other: str) -> None:
        (linked,) = self._entities.are_linked(role, [(owner, other)])
        effect: Effect = (LinkDeletion if linked else LinkCreation)(role, owner, other)
        self._try(lambda: self._objects.commit(effect))

    def _values(self, class_name: str, id_: str) -> dict[str, object]:
        random = self._random
        values: dict[str, object] = {"name": random.choice(["x", "y", "'\"\n ü 𝄞", None])}
        if class_name == "Employee":
            values |= {name: self._maybe(target) for name, target in _KEYS.items()}
            values["code"] = random.choice([None, f"{id_}{random.randint(0, 3)}", "shared"])
            if random.random() < 0.3:
                values["photo"] = self._file()
        if class_name == "Task":
            values |= {"owner": self._maybe("Employee"), "checker": self._maybe("Team")}
        return {name: value for name, value in values.items() if value is not None}

    def _maybe(self, target: str) -> str | None:
        ids = self._ids[target]
        return self._random.choice(ids) if ids and self._random.random() < 0.6 else None

    def _file(self) -> dict[str, object]:
        id_ = "".join(self._random.choices(_FILE_IDS, k=26))
        self.files[id_] = self._random.randbytes(self._random.choice([0, 10, 300_000]))
        return {
            "fileId": id_,
            "name": "a b.png",
            "mimeType": "image/png",
            "size": len(self.files[id_]),
            "uploadedOn": "2026-01-31T10:00:00.000Z",
        }

    def _try(self, write: Callable[[], object]) -> None:
        with suppress(CommitRefusal):
            write()


_KEYS = {"team": "Team", "desk": "Desk", "room": "Room"}


def fill(store: Store, model: Model, random: Random, objects: int) -> None:
    """Fill a store with a random history and its files."""
    company = RandomCompany(open_repository(store.engine, model), random)
    company.grow(objects)
    for id_, content in company.files.items():
        store.blobs.put(file_key(id_), [content], len(content))
