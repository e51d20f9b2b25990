"""Models that store one association between A and B in every way, and short methods that read its pairs."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from stratabase.core.domain.objects.change import Effect
from stratabase.core.domain.objects.commit_refusals import RoleUnavailable
from stratabase.core.domain.objects.entity import RoleName, RoleStorage, opposite_of, part_ids, storage_of
from stratabase.core.model.model import Class, Model, Role
from stratabase.evolution.backfill.reindex import Reindex, ReindexOutcome
from tests.core.store.graphs import KINDS, Objects, class_with, key, many, one, parts, whole
from tests.models import model

Pairs = set[tuple[str, str]]
"""The ids of an A and a B that are associated."""

STORAGES: Mapping[str, tuple[Role | None, Role | None]] = MappingProxyType(
    {
        **KINDS,
        "held by B": (many("to", "B", "of"), key("of", "A", "to")),
        "held by B, one way": (None, key("of", "A")),
        "one to one, held by B": (one("to", "B", "of"), key("of", "A", "to")),
        "list one way, from B": (None, many("of", "A")),
        "parts": (parts("to", "B", "of"), whole("of", "A", "to")),
        "part": (parts("to", "B", "of", to_many=False), whole("of", "A", "to")),
        "none": (None, None),
    }
)
"""By name: the role of A, and the role of B."""


def stored_as(name: str, *versioned: str) -> Model:
    """Return a model that stores the association in one of these ways."""
    to, of = STORAGES[name]
    classes = (class_with("A", *([to] if to else [])), class_with("B", *([of] if of else [])))
    return model(*(_part_if_whole(replace(each, versioned=each.name in versioned)) for each in classes))


def _part_if_whole(class_: Class) -> Class:
    return replace(class_, part=any(role.whole for role in class_.roles.values()))


def effects_of(objects: Objects, name: str, new: Iterable[str], pairs: Pairs) -> list[Effect]:
    """Return the creations of objects with associations.

    `new`: ids of A in upper case, of B in lower case.
    """
    roles = STORAGES[name]
    states: dict[str, dict[str, object]] = {id_: {} for id_ in new}
    links: list[Effect] = []
    for a, b in sorted(pairs):
        for role, owner, other in ((roles[0], a, b), (roles[1], b, a)):
            if role is None:
                continue
            class_name = "A" if owner == a else "B"
            storage = storage_of(objects.model, _role(objects, class_name, role.name))
            if storage in {RoleStorage.OWN_KEY, RoleStorage.WHOLE}:
                states[owner][role.name] = other
            elif storage is RoleStorage.PARTS:
                listed = [*part_ids(states[owner].get(role.name)), other]  # type: ignore[arg-type]
                states[owner][role.name] = listed if role.many else other
            elif storage is RoleStorage.LINKS and (role.name == "to" or roles[0] is None):
                links += objects.linking(class_name, role.name, owner, other)
    created = [objects.creation("A" if id_.isupper() else "B", id_, **state) for id_, state in states.items()]
    return [*created, *links]


def pairs_of(objects: Objects, class_name: str, ids: Iterable[str]) -> Pairs:
    """Return the pairs that the role of a class leads to, as answers show them. Raises RoleUnavailable."""
    (role,) = objects.told.classes[class_name].roles.values()
    name = objects.role(class_name, role.name)
    own = _role(objects, class_name, role.name)
    storage, opposite = storage_of(objects.model, own), opposite_of(objects.model, own)
    found: Pairs = set()
    for owner in ids:
        if (entity := objects.find(class_name, owner)) is None:
            continue
        if storage in {RoleStorage.OWN_KEY, RoleStorage.PARTS, RoleStorage.WHOLE}:
            objects.entities.check_role(name)
            others = part_ids(entity.state.get(role.name))
        else:
            others = list(objects.entities.linked(name, [owner])[0])
        for other in others:
            target = objects.find(role.target, other)
            by_key = storage in {RoleStorage.OPPOSITE_KEY, RoleStorage.OPPOSITE_KEYS}
            if target and not (by_key and opposite and target.state.get(opposite.name) != owner):
                found.add((owner, other) if class_name == "A" else (other, owner))
    return found


def answers(objects: Objects, ids: Iterable[str]) -> list[Pairs | None]:
    """Return the pairs from each side that has a role, None for a side that is refused."""
    found: list[Pairs | None] = []
    for class_name in "AB":
        if objects.told.classes[class_name].roles:
            own = [id_ for id_ in ids if id_.isupper() == (class_name == "A")]
            try:
                found.append(pairs_of(objects, class_name, own))
            except RoleUnavailable:
                found.append(None)
    return found


def reindexed(objects: Objects, *, ahead: bool = False, local: bool = False) -> list[ReindexOutcome]:
    """Reindex all classes, and let the repository of these objects notice."""
    reindex = Reindex(objects.engine, objects.model, sleep=lambda _: None, ahead=ahead, local=local)
    outcomes = [reindex.run(name) for name in objects.model.classes]
    refresh(objects)
    return outcomes


def refresh(*all_objects: Objects) -> None:
    """Let repositories read the registry again, as they do after some seconds."""
    for objects in all_objects:
        objects.entities._store.registry.invalidate()


def _role(objects: Objects, class_name: str, role_name: str) -> Role:
    name: RoleName = objects.role(class_name, role_name)
    return objects.model.classes[name.class_name].roles[name.role_name]
