"""The differences between two models, as short lines for people."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from stratabase.model.attribute import Attribute, Origin
from stratabase.model.constraints import argument_values
from stratabase.model.model import Class, Enumeration, Grant, Model, Profile, Role

T = TypeVar("T")
M = TypeVar("M", Attribute, Role)


def diff_models(old: Model, new: Model) -> list[str]:
    """Return one line for each difference; an empty list if the models differ only in order.

    Examples: `+ Employee.nickname: String`, `- class Team`, `~ Employee.email: now required`.
    """
    return [
        *_value("application", old.application, new.application),
        *_named("profile", old.profiles, new.profiles, _profile),
        *_named("class", old.classes, new.classes, _class),
        *_named("enum", old.enumerations, new.enumerations, _enumeration),
    ]


def _named(
    kind: str, old: Mapping[str, T], new: Mapping[str, T], changes: Callable[[T, T], Iterator[str]]
) -> Iterator[str]:
    """Yield the additions, the changes, and the removals."""
    for name, one in new.items():
        yield from changes(old[name], one) if name in old else [f"+ {kind} {name}"]
    yield from (f"- {kind} {name}" for name in old if name not in new)


def _value(name: str, old: Any, new: Any) -> Iterator[str]:
    if old != new:
        yield f"~ {name}: {_show(new)}, was {_show(old)}"


def _show(value: Any) -> str:
    if value is None or value == ():
        return "none"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _flag(name: str, what: str, old: object, new: object) -> Iterator[str]:
    if bool(old) != bool(new):
        yield f"~ {name}: {'now' if new else 'no longer'} {what}"


def _description(name: str, old: str | None, new: str | None) -> Iterator[str]:
    if old != new:
        yield f"~ {name}: description changed"


def _profile(old: Profile, new: Profile) -> Iterator[str]:
    yield from _flag(f"profile {new.name}", "an administrator profile", old.administrator, new.administrator)


def _enumeration(old: Enumeration, new: Enumeration) -> Iterator[str]:
    yield from (f"+ {new.name}.{value}" for value in new.values if value not in old.values)
    yield from (f"- {new.name}.{value}" for value in old.values if value not in new.values)
    for value in (value for value in new.values if value in old.values):
        yield from _description(f"{new.name}.{value}", old.values[value], new.values[value])
    yield from _description(f"enum {new.name}", old.description, new.description)


def _class(old: Class, new: Class) -> Iterator[str]:
    name = f"class {new.name}"
    yield from _value(name, old.kind.value, new.kind.value)
    yield from _flag(name, "versioned", old.versioned, new.versioned)
    yield from _flag(name, "a part", old.part, new.part)
    yield from _flag(name, "exposed", old.exposed, new.exposed)
    yield from _description(name, old.description, new.description)
    yield from _members(new.name, old.attributes, new.attributes, _attribute_type, _attribute)
    yield from _members(new.name, old.roles, new.roles, _role_type, _role)
    yield from _directives(new.name, _directives_of(old), _directives_of(new))


def _members(
    owner: str,
    old: Mapping[str, M],
    new: Mapping[str, M],
    type_name: Callable[[M], str],
    changes: Callable[[str, M, M], Iterator[str]],
) -> Iterator[str]:
    for name, one in new.items():
        full_name = f"{owner}.{name}"
        if name in old:
            yield from _value(full_name, type_name(old[name]), type_name(one))
            yield from changes(full_name, old[name], one)
        else:
            yield f"+ {full_name}: {type_name(one)}{'!' * one.required}"
    yield from (f"- {owner}.{name}" for name in old if name not in new)


def _attribute_type(attribute: Attribute) -> str:
    return attribute.type.name


def _attribute(name: str, old: Attribute, new: Attribute) -> Iterator[str]:
    yield from _flag(name, "required", old.required, new.required)
    yield from _flag(name, "derived", old.origin is Origin.DERIVED, new.origin is Origin.DERIVED)
    if old.derivation and new.derivation and old.derivation != new.derivation:
        yield f"~ {name}: derivation changed"
    old_values, new_values = argument_values(old.constraints), argument_values(new.constraints)
    for argument in new_values:
        yield from _value(f"{name} {argument}", old_values[argument], new_values[argument])
    yield from _description(name, old.description, new.description)


def _role_type(role: Role) -> str:
    return f"[{role.target}!]" if role.many else role.target


def _role(name: str, old: Role, new: Role) -> Iterator[str]:
    yield from _flag(name, "required", old.required, new.required)
    yield from _flag(name, "a composition", old.composition, new.composition)
    yield from _flag(name, "the role back to its whole", old.whole, new.whole)
    yield from _value(f"{name} opposite", old.opposite, new.opposite)
    yield from _flag(name, "holds the key", old.holds_key, new.holds_key)
    yield from _description(name, old.description, new.description)


def _directives(owner: str, old: Mapping[str, object], new: Mapping[str, object]) -> Iterator[str]:
    yield from (f"+ {owner} {name}" for name in new if name not in old)
    yield from (f"~ {owner} {name}" for name in new if name in old and old[name] != new[name])
    yield from (f"- {owner} {name}" for name in old if name not in new)


def _directives_of(one: Class) -> dict[str, object]:
    """Return the directives of a class, by the text that identifies each."""
    rules: dict[str, object] = {}
    rules |= {f"@unique({', '.join(unique.attributes)})": unique for unique in one.uniques}
    rules |= {f"@index({', '.join(index.attributes)})": index for index in one.indexes}
    rules |= {f'@warning("{warning.name}")': warning for warning in one.warnings}
    return rules | {_grant(grant): grant for grant in one.grants}


def _grant(grant: Grant) -> str:
    of_member = f" on {grant.field}" if grant.field else ""
    return f'@grant("{grant.profile}"){of_member}'
