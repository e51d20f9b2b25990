"""Random small models with roles of every kind.

`models()` is a strategy of models without mistakes; `OF_KINDS` has one for each kind of association, so that
none is left to chance.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hypothesis import strategies as st

from stratabase.core.model.model import Model
from stratabase.core.model.reading import InvalidModel, read_model

ASSOCIATIONS: Mapping[str, tuple[str, str | None]] = {
    "key": ("{to}: {B}", None),
    "required key": ("{to}: {B}!", None),
    "key and list": (
        '{to}: {B} @association(opposite: "{of}")',
        '{of}: [{A}!] @association(opposite: "{to}")',
    ),
    "required key and list": (
        '{to}: {B}! @association(opposite: "{of}")',
        '{of}: [{A}!] @association(opposite: "{to}")',
    ),
    "key and required list": (
        '{to}: {B} @association(opposite: "{of}")',
        '{of}: [{A}!]! @association(opposite: "{to}")',
    ),
    "one to one": (
        '{to}: {B} @association(opposite: "{of}", holds: true)',
        '{of}: {A} @association(opposite: "{to}")',
    ),
    "one to one, required key": (
        '{to}: {B}! @association(opposite: "{of}", holds: true)',
        '{of}: {A} @association(opposite: "{to}")',
    ),
    "one to one, required partner": (
        '{to}: {B} @association(opposite: "{of}", holds: true)',
        '{of}: {A}! @association(opposite: "{to}")',
    ),
    "list": ("{to}: [{B}!]", None),
    "required list": ("{to}: [{B}!]!", None),
    "many to many": (
        '{to}: [{B}!] @association(opposite: "{of}")',
        '{of}: [{A}!] @association(opposite: "{to}")',
    ),
    "many to many, one side required": (
        '{to}: [{B}!] @association(opposite: "{of}")',
        '{of}: [{A}!]! @association(opposite: "{to}")',
    ),
}
"""The two sides of each kind of association between the classes A and B, `to` and `of`."""
COMPOSITIONS = ("{to}: {B}", "{to}: {B}!", "{to}: [{B}!]", "{to}: [{B}!]!")
_ATTRIBUTES = "name: String  size: Int!"
_PLATFORM = "@class(platform: [CREATED_BY, LAST_MODIFIED_ON])"
_VERSIONED = "@class(versioned: true, platform: [CREATED_BY, LAST_MODIFIED_BY])"


@dataclass
class ClassText:
    """A class in the syntax of the model language."""

    name: str
    directives: list[str] = field(default_factory=list)
    fields: list[str] = field(default_factory=lambda: [_ATTRIBUTES])
    keys: list[str] = field(default_factory=list)
    """The roles whose keys the objects hold: to-one associations, and roles to wholes."""

    def __str__(self) -> str:
        return f"type {self.name} {' '.join(self.directives)} {{ {'  '.join(self.fields)} }}"


def text_of(classes: Sequence[ClassText]) -> str:
    """Return the text of a model with the given classes."""
    return "\n".join(['extend schema @application(name: "Random")', *map(str, classes)])


def associate(kind: str, number: int, owner: ClassText, target: ClassText) -> None:
    """Add both sides of an association to the texts of two classes, which may be the same class."""
    for template, class_ in zip(ASSOCIATIONS[kind], (owner, target), strict=True):
        if template is not None:
            names = {"to": f"to{number}", "of": f"of{number}", "A": owner.name, "B": target.name}
            class_.fields.append(template.format(**names))
    if "[" not in str(ASSOCIATIONS[kind][0]):
        owner.keys.append(f"to{number}")


def compose(template: str, number: int, owner: ClassText, part: ClassText) -> None:
    """Add a composition to the text of the class that is the whole."""
    role = template.format(to=f"parts{number}", B=part.name)
    owner.fields.append(f'{role} @composition(whole: "whole{number}")')
    part.keys.append(f"whole{number}")


def of_kind(kind: str) -> Model:
    """Return a model of two classes with one kind of association."""
    classes = [ClassText("A"), ClassText("B")]
    associate(kind, 1, *classes)
    return read_model(text_of(classes), kind)


OF_KINDS: Mapping[str, Model] = {kind: of_kind(kind) for kind in ASSOCIATIONS}


@st.composite
def texts(draw: st.DrawFn, *, versioned: bool = False) -> str:
    """Draw the text of a random model. It may be invalid: some classes may not be instantiable.

    `versioned`: whether most classes keep versions.
    """
    classes = [ClassText(f"C{number}") for number in range(draw(st.integers(2, 5)))]
    for number in range(draw(st.integers(0, 3))):
        _compose(draw, number, classes)
    for number in range(draw(st.integers(1, 4))):
        _associate(draw, number, classes)
    for class_ in classes:
        class_.directives += draw(st.sampled_from([[], [_PLATFORM], ['@unique(attributes: ["name"])']]))
        class_.directives += draw(st.sampled_from([[], *_directives_with_roles(class_.keys)]))
        if versioned and draw(st.integers(0, 3)):
            class_.directives = [each for each in class_.directives if each != _PLATFORM] + [_VERSIONED]
        class_.fields += draw(st.sampled_from([[], [], ["number: Serial"]]))
    return text_of(classes)


def _directives_with_roles(keys: Sequence[str]) -> list[list[str]]:
    """Return uniqueness constraints and indexes with each of these roles, and with two of them."""
    if not keys:
        return []
    one, other = keys[0], keys[-1]
    return [
        [f'@unique(attributes: ["{one}", "size"])'],
        [f'@unique(attributes: ["name", "{other}"])', f'@index(attributes: ["{one}", "name"])'],
        [f'@unique(attributes: ["{one}"])'],
        [f'@unique(attributes: ["{one}", "{other}"])'] if one != other else [],
    ]


def _compose(draw: st.DrawFn, number: int, classes: Sequence[ClassText]) -> None:
    """Add a random composition. Now and then, parts can also be parts of themselves."""
    part = draw(st.integers(1, len(classes) - 1))
    compose(
        draw(st.sampled_from(COMPOSITIONS)), number, classes[draw(st.integers(0, part - 1))], classes[part]
    )
    if draw(st.integers(0, 3)) == 0:
        compose(draw(st.sampled_from(COMPOSITIONS[::2])), number + 10, classes[part], classes[part])


def _associate(draw: st.DrawFn, number: int, classes: Sequence[ClassText]) -> None:
    """Add a random association. Required roles only lead to earlier classes, to avoid cycles."""
    kind = draw(st.sampled_from([*ASSOCIATIONS]))
    one, other = sorted(draw(st.tuples(*[st.integers(0, len(classes) - 1)] * 2)))
    needs = [template is not None and "!" in template.replace("!]", "") for template in ASSOCIATIONS[kind]]
    if any(needs) and one == other:
        one, other = (one, one + 1) if one + 1 < len(classes) else (one - 1, one)
    if needs[0] or (not needs[1] and draw(st.booleans())):
        one, other = other, one
    associate(kind, number, classes[one], classes[other])


@st.composite
def models(draw: st.DrawFn, *, versioned: bool = False) -> Model:
    """Draw a valid model. `versioned`: whether most of its classes keep versions."""
    text = draw(texts(versioned=versioned).filter(_is_sound))
    return read_model(text, "random.graphql")


def _is_sound(text: str) -> bool:
    try:
        read_model(text, "random.graphql")
    except InvalidModel:
        return False
    return True


def _of_family(kind: str, *, from_part: bool) -> str:
    """Return the text of a model in which a composition's whole and part are also associated."""
    whole, part = ClassText("A"), ClassText("B")
    compose("{to}: [{B}!]", 1, whole, part)
    associate(kind, 2, *((part, whole) if from_part else (whole, part)))
    return text_of([whole, part])


OF_FAMILIES: Mapping[str, Model] = {
    f"{kind} from {'part' if from_part else 'whole'}": read_model(text, kind)
    for kind in ASSOCIATIONS
    for from_part in (True, False)
    if _is_sound(text := _of_family(kind, from_part=from_part))
}
"""A model for each kind and direction of an association between a whole and its parts."""
