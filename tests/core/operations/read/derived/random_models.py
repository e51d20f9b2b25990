"""Random small models with derived attributes, which may depend on one another."""

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from stratabase.core.model.model import Model
from stratabase.core.model.reading import read_model
from stratabase.core.model.types.operators import Aggregate
from tests.core.operations.read.derived.derived_specs import (
    TEMPLATES,
    DerivedSpec,
    aggregated,
    followed,
    plain,
)
from tests.graphs.models import ASSOCIATIONS, COMPOSITIONS, ClassText, associate, compose, text_of

Path = tuple[str, ...]
Member = tuple[str, str]
_OPTIONAL = [kind for kind in ASSOCIATIONS if "required" not in kind]
_KEPT = {"name": "String", "size": "Int", "price": "Real"}
_AGGREGATES = {
    "Int": (Aggregate.SUM, Aggregate.MIN, Aggregate.MAX, Aggregate.AVG, Aggregate.COUNT),
    "Real": (Aggregate.SUM, Aggregate.MIN, Aggregate.MAX, Aggregate.AVG, Aggregate.COUNT),
    "String": (Aggregate.MIN, Aggregate.MAX, Aggregate.COUNT),
    "Boolean": (Aggregate.COUNT,),
    "role": (Aggregate.COUNT,),
}
_FARTHEST = 3


class Derived(NamedTuple):
    """A model and the specifications of its derived attributes."""

    model: Model
    told: dict[Member, DerivedSpec]


class _End(NamedTuple):
    """The end of a path: an attribute or an object."""

    path: Path
    type: str
    many: bool


def derived_model(chance: Random) -> Derived:
    """Draw a model."""
    classes = [ClassText(f"C{number}") for number in range(chance.randint(2, 4))]
    for class_ in classes:
        class_.fields.append("price: Real")
    for number in range(chance.randint(1, 4)):
        associate(chance.choice(_OPTIONAL), number, chance.choice(classes), chance.choice(classes))
    if chance.random() < 0.5:
        compose(chance.choice(COMPOSITIONS[::2]), 10, classes[0], chance.choice(classes[1:]))
    bare = read_model(text_of(classes), "bare.graphql")
    result: dict[Member, DerivedSpec] = {}
    for number in range(chance.randint(1, 8)):
        class_ = chance.choice(classes)
        one = random_spec(chance, bare, result, class_.name, f"d{number}")
        result[class_.name, one.name] = one
        class_.fields.append(str(one))
    return Derived(read_model(text_of(classes), "derived.graphql"), result)


def random_spec(
    chance: Random, bare: Model, result: Mapping[Member, DerivedSpec], class_name: str, name: str
) -> DerivedSpec:
    ends = list(_ends(bare, result, class_name))
    many = [end for end in ends if end.many]
    walked = [end for end in ends if not end.many and len(end.path) > 1 and end.type != "role"]
    kinds = ["expression", *(["path"] if walked else []), *(["aggregate"] * 2 if many else [])]
    kind = chance.choice(kinds)
    if kind == "path":
        end = chance.choice(walked)
        return followed(name, end.type, end.path)
    if kind == "aggregate":
        end = chance.choice(many)
        return aggregated(name, chance.choice(_AGGREGATES[end.type]), end.type, end.path)
    return _expression(chance, name, [end for end in ends if not end.many])


def _expression(chance: Random, name: str, ends: Sequence[_End]) -> DerivedSpec:
    types = {end.type for end in ends}
    template = chance.choice([each for each in TEMPLATES if types.issuperset(each.operands)])
    operands = ([end.path for end in ends if end.type == operand] for operand in template.operands)
    return plain(name, template, tuple(map(chance.choice, operands)))


def _ends(
    bare: Model, result: Mapping[Member, DerivedSpec], class_name: str, depth: int = _FARTHEST
) -> Iterator[_End]:
    """Yield all paths from a class."""
    yield from (_End((name,), type_, many=False) for name, type_ in _KEPT.items())
    for (owner, name), one in result.items():
        if owner == class_name:
            yield _End((name,), one.type, many=False)
    for role in bare.classes[class_name].roles.values() if depth else ():
        yield _End((role.name,), "role", role.many)
        for end in _ends(bare, result, role.target, depth - 1):
            yield _End((role.name, *end.path), end.type, role.many or end.many)


def values(chance: Random) -> dict[str, Any]:
    """Draw the stored values of an object."""
    drawn = {
        "name": chance.choice(["x", "y", None]),
        "size": chance.choice([0, 1, 2, -7]),
        "price": chance.choice(["0.1", "-2.5", "1E+40", None]),
    }
    return {name: value for name, value in drawn.items() if value is not None}
