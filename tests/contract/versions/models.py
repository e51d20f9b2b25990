"""A company model with versioned classes that have keys, parts and a partner, and unversioned ones."""

from dataclasses import replace
from types import MappingProxyType

from stratabase.core.model.model import Class, ClassKind, Role, Unique
from tests.core.store.graphs import class_with, key, many, one, parts, whole
from tests.models import attribute, model


def remembering(class_: Class) -> Class:
    """Return a copy of a class that keeps versions."""
    return replace(class_, versioned=True)


def named(
    name: str, *roles: Role, uniques: tuple[Unique, ...] = (), kind: ClassKind = ClassKind.ORDINARY
) -> Class:
    """Return a class whose objects have a name, a code and a note."""
    class_ = class_with(name, *roles, uniques=uniques, kind=kind)
    more = {each: attribute(each, "String") for each in ("code", "note")}
    return replace(class_, attributes=MappingProxyType({**class_.attributes, **more}))


COMPANY = model(
    remembering(named("Team", many("members", "Employee", "team"))),
    remembering(
        named(
            "Employee",
            key("team", "Team", "members"),
            key("desk", "Desk", "owner"),
            key("room", "Room", "people"),
            parts("addresses", "Address", "employee"),
            many("projects", "Project", "people"),
            uniques=(Unique(("code",)),),
        )
    ),
    remembering(named("Address", whole("employee", "Employee", "addresses"))),
    named("Desk", one("owner", "Employee", "desk")),
    named("Room", many("people", "Employee", "room"), many("lamps", "Lamp", "room")),
    named("Lamp", key("room", "Room", "lamps")),
    named("Project", many("people", "Employee", "projects")),
    remembering(named("Settings", kind=ClassKind.SINGLETON)),
)
