"""A naive model of visibility by the sentences of the contract: object by object."""

from collections.abc import Callable, Mapping

from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.model.model import Action, Grant, Model

Objects = Mapping[Reference, Entity]
_Condition = Callable[[Objects, Entity], bool]


def _level(role: str, most: int) -> _Condition:
    def holds(objects: Objects, entity: Entity) -> bool:
        other = _led_to(objects, entity, role)
        level = None if other is None else other.state.get("level")
        return isinstance(level, int) and level < most

    return holds


def _led_to(objects: Objects, entity: Entity, role: str) -> Entity | None:
    target = {"one": "Bush", "pal": "Bush", "boss": "Bush", "apple": "Apple"}[role]
    return objects.get(Reference(target, str(entity.state.get(role))))


_near_or_none = _level("pal", 3)
CONDITIONS: Mapping[str | None, _Condition] = {
    None: lambda _, __: True,
    "level < 2": lambda _, entity: int(str(entity.state["level"])) < 2,
    "level == 1": lambda _, entity: entity.state["level"] == 1,
    "one.level < 2": _level("one", 2),
    "boss.level < 3": _level("boss", 3),
    "apple.level < 3": _level("apple", 3),
    "isNull(pal) || pal.level < 3": lambda objects, entity: (
        _led_to(objects, entity, "pal") is None or _near_or_none(objects, entity)
    ),
}


class NaiveVisibility:
    """The visibility of objects for one member."""

    def __init__(self, model: Model, objects: Objects) -> None:
        self._model = model
        self._objects = objects

    def can_see(self, entity: Entity) -> bool:
        """Return whether the member sees an object."""
        class_name = entity.reference.class_name
        grant = self._grant(class_name, None)
        if class_name != "Seed":
            return grant is not None and self._allows(grant, entity)
        whole = _led_to(self._objects, entity, "apple")
        return (
            whole is not None
            and self.can_see(whole)
            and self._shows(whole, "seeds")
            and (grant is None or self._allows(grant, entity))
        )

    def can_read(self, entity: Entity, attribute: str) -> bool:
        """Return whether the member may read an attribute of an object."""
        return self.can_see(entity) and self._shows(entity, attribute)

    def _shows(self, entity: Entity, member: str) -> bool:
        grant = self._grant(entity.reference.class_name, member)
        return grant is None or self._allows(grant, entity)

    def _allows(self, grant: Grant, entity: Entity) -> bool:
        return Action.READ in grant.allow and CONDITIONS[grant.where](self._objects, entity)

    def _grant(self, class_name: str, member: str | None) -> Grant | None:
        grants = self._model.classes[class_name].grants
        return next((grant for grant in grants if grant.field == member), None)
