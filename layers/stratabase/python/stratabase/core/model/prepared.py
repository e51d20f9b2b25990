"""The prepared model: a model as JSON, so that a start parses no text and checks no rules.

In the JSON, plain values are themselves, and tuples are lists. Everything else is an object whose `is` names
its class. Fields with their default value are left out.

The file also names the text, the version of Stratabase and the layout of the classes that it was made from.
`read_prepared` ignores a file that differs in one of them.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, fields
from enum import Enum
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any

import orjson

from stratabase import __version__
from stratabase.core.model.attribute import Attribute, Derivation, Origin
from stratabase.core.model.constraints import CONSTRAINTS
from stratabase.core.model.model import (
    Action,
    Class,
    ClassKind,
    DefaultAccess,
    Enumeration,
    Grant,
    Index,
    Model,
    PlatformAttribute,
    Profile,
    Role,
    Unique,
    WarningDefinition,
)
from stratabase.core.model.types import FOLDED_TYPES, MEMBER_ID_TYPE, TYPES
from stratabase.core.model.types.base import AttributeType
from stratabase.core.model.types.enumeration import EnumType
from stratabase.core.model.types.operators import Aggregate
from stratabase.values.cel import syntax
from stratabase.values.cel.parser import parse, preload_trees

__all__ = ["prepare", "prepared_file", "read_prepared"]
_MODEL_CLASSES: tuple[type[Any], ...] = (
    Model,
    Profile,
    Enumeration,
    Class,
    Unique,
    Index,
    WarningDefinition,
    Grant,
    Attribute,
    Derivation,
    *CONSTRAINTS,
    Role,
)
_SYNTAX_CLASSES: tuple[type[Any], ...] = (syntax.Word, *syntax.Node.__subclasses__())
CLASSES: Mapping[str, type[Any]] = {
    **{each.__name__: each for each in _MODEL_CLASSES},
    **{f"expression {each.__name__}": each for each in _SYNTAX_CLASSES},
}
ENUMS: Mapping[str, type[Enum]] = {
    each.__name__: each for each in (Action, Aggregate, ClassKind, DefaultAccess, Origin, PlatformAttribute)
}
NAMES: Mapping[type[Any], str] = {each: name for name, each in {**CLASSES, **ENUMS}.items()}
MAPPING, SET, TYPE = "mapping", "set", "type"
"""The `is` of values that are not instances of a class: mappings, sets, and attribute types."""
_PLAIN = (str, int, bool, type(None))
_TYPES: Mapping[str, AttributeType] = {**TYPES, **FOLDED_TYPES, MEMBER_ID_TYPE.name: MEMBER_ID_TYPE}
Decode = Callable[[dict[str, Any]], Any]


def prepared_file(model: Path) -> Path:
    """Return the path of the prepared model of a model file: a file beside it."""
    return model.with_suffix(".prepared.json")


def prepare(model: Model, text: bytes) -> bytes:
    """Return the contents of the prepared file for a model that was read from `text`."""
    trees = {each: encode(parse(each)) for each in _expression_texts(model)}
    return orjson.dumps({**text_identity(text), "expressions": trees, "model": encode(model)})


def read_prepared(prepared: bytes, text: bytes) -> Model | None:
    """Return a prepared model.

    Returns None if the file is not JSON, or was made from another text, version or layout.
    """
    try:
        content = orjson.loads(prepared)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(content, dict) or not text_identity(text).items() <= content.items():
        return None
    node = Decoder().value
    preload_trees({each: partial(node, tree) for each, tree in content["expressions"].items()})
    return decode_model(content["model"])


def text_identity(text: bytes) -> dict[str, Any]:
    """Return what a prepared file was made from: the text of the model, the version, and the layout."""
    # Earlier versions used Python's regular expressions. Their files may contain patterns that RE2 rejects.
    return {
        "product": __version__,
        "shape": layout_hash(),
        "patterns": "RE2",
        "text": sha256(text).hexdigest(),
    }


@cache
def layout_hash() -> str:
    """Return a hash of the names of all encoded classes, fields and enum members.

    A file with another hash can't be decoded.
    """
    classes = [f"{name}: {[each.name for each in fields(type_)]}" for name, type_ in CLASSES.items()]
    enums = [f"{name}: {list(type_.__members__)}" for name, type_ in ENUMS.items()]
    return sha256("\n".join(classes + enums).encode()).hexdigest()


def _expression_texts(model: Model) -> Iterator[str]:
    yield from (grant.where for grant in model.user_grants if grant.where is not None)
    for class_ in model.classes.values():
        if class_.label is not None:
            yield class_.label
        yield from (rule.condition for rule in class_.warnings)
        yield from (grant.where for grant in class_.grants if grant.where is not None)
        for attribute in class_.attributes.values():
            if attribute.derivation and attribute.derivation.expression is not None:
                yield attribute.derivation.expression


def encode(value: Any) -> Any:
    """Return a value of a model or a syntax tree as JSON. Raises TypeError for any other value."""
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, tuple | list):
        return [encode(each) for each in value]
    if NAMES.get(type(value)) in CLASSES:
        return {"is": NAMES[type(value)], **_encode_fields(value)}
    return _encode_other(value)


def _encode_other(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {"is": MAPPING, "of": {name: encode(each) for name, each in value.items()}}
    if isinstance(value, frozenset):
        return {"is": SET, "of": sorted((encode(each) for each in value), key=str)}
    if isinstance(value, Enum):
        return {"is": NAMES[type(value)], "of": value.name}
    if isinstance(value, AttributeType):
        return {"is": TYPE, "of": value.full_name}
    raise TypeError(f"A model can't contain a {type(value).__name__}.")


def _encode_fields(value: Any) -> dict[str, Any]:
    return {
        each.name: encode(getattr(value, each.name))
        for each in fields(value)
        if _differs_from_default(value, each)
    }


def _differs_from_default(value: Any, field: "Field[Any]") -> bool:
    default = field.default if field.default_factory is MISSING else field.default_factory()
    return default is MISSING or getattr(value, field.name) != default


class Decoder:
    """Decodes the JSON of `encode`. `types` are the attribute types by name."""

    def __init__(self, types: Mapping[str, AttributeType] = _TYPES) -> None:
        self._decoders: dict[str, Decode] = {
            **{name: partial(self._instance, type_) for name, type_ in CLASSES.items()},
            **{name: partial(_enum_member, type_) for name, type_ in ENUMS.items()},
            MAPPING: self._mapping,
            SET: lambda json: frozenset(map(self.value, json["of"])),
            TYPE: lambda json: types[json["of"]],
        }

    def value(self, json: Any) -> Any:
        """Return the value that was encoded as `json`."""
        if isinstance(json, dict):
            return self._decoders[json["is"]](json)
        return tuple(map(self.value, json)) if isinstance(json, list) else json

    def _instance(self, type_: type[Any], json: dict[str, Any]) -> Any:
        return type_(**{name: self.value(each) for name, each in json.items() if name != "is"})

    def _mapping(self, json: dict[str, Any]) -> Mapping[str, Any]:
        return MappingProxyType({name: self.value(each) for name, each in json["of"].items()})


def decode_model(json: dict[str, Any]) -> Model:
    """Return the model that was encoded as `json`."""
    enumerations = Decoder().value(json.get("enumerations", {"is": MAPPING, "of": {}}))
    types = {name: EnumType(name, each.values, each.renamed_from) for name, each in enumerations.items()}
    model: Model = Decoder({**types, **_TYPES}).value(json)
    return model


def _enum_member(type_: Any, json: dict[str, Any]) -> Any:
    return type_[json["of"]]
