"""From JSON back to a model, or a piece of one."""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from stratabase.model.model import Model
from stratabase.model.prepared.pieces import CLASSES, ENUMS, MAPPING, SET, TYPE
from stratabase.model.types import TYPES, enumeration
from stratabase.model.types.base import AttributeType

Restore = Callable[[dict[str, Any]], Any]


class Restoring:
    """Makes what JSON stands for; `types`: those of attributes, by their names."""

    def __init__(self, types: Mapping[str, AttributeType] = TYPES) -> None:
        self._ways: dict[str, Restore] = {
            **{name: partial(self._made, type_) for name, type_ in CLASSES.items()},
            **{name: partial(_member, type_) for name, type_ in ENUMS.items()},
            MAPPING: self._mapping,
            SET: lambda json: frozenset(map(self.value, json["of"])),
            TYPE: lambda json: types[json["of"]],
        }

    def value(self, json: Any) -> Any:
        """Return what JSON stands for."""
        if isinstance(json, dict):
            return self._ways[json["is"]](json)
        return tuple(map(self.value, json)) if isinstance(json, list) else json

    def _made(self, type_: type[Any], json: dict[str, Any]) -> Any:
        return type_(**{name: self.value(each) for name, each in json.items() if name != "is"})

    def _mapping(self, json: dict[str, Any]) -> Mapping[str, Any]:
        return MappingProxyType({name: self.value(each) for name, each in json["of"].items()})


def restored(json: dict[str, Any]) -> Model:
    """Return the model that JSON stands for."""
    enumerations = Restoring().value(json.get("enumerations", {"is": MAPPING, "of": {}}))
    types = {name: enumeration(each) for name, each in enumerations.items()}
    model: Model = Restoring({**types, **TYPES}).value(json)
    return model


def _member(type_: Any, json: dict[str, Any]) -> Any:
    return type_[json["of"]]
