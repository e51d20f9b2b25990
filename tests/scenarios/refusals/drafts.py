"""Translates create and update requests into the inputs of `save`, with the paths of their issues."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Part(NamedTuple):
    """A role that leads to parts."""

    class_name: str
    many: bool


PARTS: Mapping[str, Mapping[str, Part]] = {
    "Person": {
        "contract": Part("Contract", many=False),
        "home": Part("Address", many=False),
        "phones": Part("Phone", many=True),
        "addresses": Part("Address", many=True),
    },
    "Address": {"rooms": Part("Room", many=True)},
    "House": {"place": Part("Address", many=False), "doors": Part("Door", many=True)},
    "Scroll": {"leaves": Part("Leaf", many=True)},
}
LINKED = {"pupils", "projects", "skills", "members", "about"}
"""The to-many roles of associations."""
POINTING = {"team", "mentor", "desk", "leads", "favourite", "lead", "colour", "owner", "keeper", "by"}
"""The to-one roles of associations."""

Data = dict[str, Any]


def new(class_name: str, data: Data) -> Data:
    """Return `<C>Create` as `<C>Draft`."""
    return {name: _new(class_name, name, value) for name, value in data.items()}


def _new(class_name: str, name: str, value: Any) -> Any:
    part = PARTS.get(class_name, {}).get(name)
    if value is None:
        return None
    if part is not None and part.many:
        return {"save": [each and new(part.class_name, each) for each in value]}
    if part is not None:
        return new(part.class_name, value)
    return {"add": value} if name in LINKED else value


def changed(class_name: str, data: Data) -> Data:
    """Return `<C>Update` as `<C>Draft`."""
    return {name: _changed(class_name, name, value) for name, value in data.items()}


def _changed(class_name: str, name: str, value: Any) -> Any:
    part = PARTS.get(class_name, {}).get(name)
    if value is None:
        return None
    if part is not None:
        return _parts(part, value) if part.many else _part(part, value)
    return value.get("set") if name in POINTING else value


def _parts(part: Part, value: Data) -> Data:
    created = [each and new(part.class_name, each) for each in value.get("create", ())]
    kept = [each and changed(part.class_name, each) for each in value.get("update", ())]
    ended: Data = {name: value[name] for name in ("delete", "deleteAll") if name in value}
    return {"save": [*created, *kept], **ended}


def _part(part: Part, value: Data) -> Data | None:
    if "create" in value:
        return new(part.class_name, value["create"])
    return changed(part.class_name, value["update"]) if "update" in value else None


def place(class_name: str, data: Data, at: str) -> str:
    """Return the path in a `<C>Draft` for a path in a create or an update."""
    first, *steps = at.split(".")
    return ".".join([first, *_steps(class_name, data, steps)]) if first == "data" else at


def _steps(class_name: str, data: Any, steps: list[str]) -> list[str]:
    part = PARTS.get(class_name, {}).get(steps[0]) if steps else None
    if part is None or len(steps) == 1:
        return steps
    name, verb, *rest = steps
    value = data[name]
    if verb not in {"create", "update"}:
        return _within(part, name, value, [verb, *rest])
    before = len(value.get("create", ())) if verb == "update" and part.many else 0
    return _within(part, name, value[verb], rest, before)


def _within(part: Part, name: str, value: Any, steps: list[str], before: int = 0) -> list[str]:
    if not part.many:
        return [name, *_steps(part.class_name, value, steps)]
    if not steps or not steps[0].isdigit():
        return [name, *steps]
    number = int(steps[0])
    return [name, "save", str(number + before), *_steps(part.class_name, value[number], steps[1:])]
