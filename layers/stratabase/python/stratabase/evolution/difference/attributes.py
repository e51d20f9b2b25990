"""Changes of attributes: added, removed, renamed, required, defaults, domains and derivations."""

from collections.abc import Iterable, Iterator
from typing import Any

from stratabase.core.model.attribute import Attribute, Origin
from stratabase.core.model.constraints import argument_values, is_tightened
from stratabase.core.model.model import Class
from stratabase.evolution.difference.change import (
    AttributePair,
    Changes,
    ClassPair,
    decision,
    each_attribute,
    each_class,
    erase_advice,
    probable_rename,
    rename_advice,
    rename_hint,
    safe,
    settled_if_none,
    to_build,
)
from stratabase.evolution.difference.questions import (
    AllObjects,
    WithState,
    outside_domain,
    with_value,
    without_value,
)

_KEPT = "Objects keep the stored values, but no service shows them."


def _added(owner: ClassPair) -> Changes:
    """Attributes that only the new model has."""
    class_ = owner.new
    for each in owner.added_attributes:
        subject, type_ = f"{class_.name}.{each.name}", f"{each.type.name}{'!' * each.required}"
        before = owner.old.attributes.get(each.name)
        if before is not None and before.origin is Origin.DERIVED:
            yield safe(subject, "now stored, was derived", "Objects have no value until one is written.")
        elif before is not None:
            continue  # the removal of what had the name says so
        elif each.origin is Origin.DERIVED:
            yield safe(subject, f"derived attribute {each.type.name} added")
        elif each.origin is Origin.PLATFORM:
            yield safe(subject, "added", "Objects have no value until they are next written.")
        elif each.type.numbered:
            yield safe(subject, f"{type_} added", "Only new objects get a number.")
        elif each.default is not None:
            yield safe(subject, f"{type_} added", f"Objects without a value show {_show(each.default)}.")
        elif each.required and class_.is_stored:
            why = (
                "Stored objects have no value. They stay valid, and updates that leave it empty succeed, "
                "but a value that was set can't be removed."
            )
            to_do = f'Add a default, `{each.name}: {type_} @default(value: "…")`, or fill in the values.'
            if not _can_have_default(each, class_):
                to_do = (
                    f"Leave {each.name} optional until all objects have a value, and then make it required."
                )
            question = AllObjects(owner.stored_name, class_.name)
            yield settled_if_none(decision(subject, f"{type_} added", why, to_do, question))
        else:
            yield safe(subject, f"{type_} added")


def _removed(owner: ClassPair) -> Changes:
    """Attributes that only the old model has. A similar new one of the same type may be the same."""
    class_ = owner.new
    for each in owner.removed_attributes:
        subject = f"{class_.name}.{each.name}"
        if each.origin is Origin.DERIVED:
            if each.name not in class_.attributes:
                yield safe(subject, "derived attribute removed")
            continue
        if each.origin is Origin.PLATFORM:
            yield safe(subject, "removed", "It is no longer recorded. Recorded values stay stored.")
            continue
        stored = owner.old_names.to_stored[each.name]
        question = with_value(owner.stored_name, class_.name, stored)
        path = f"{owner.stored_name}.{stored}"
        drop = erase_advice(path)
        added = [other.name for other in _like(each, owner.added_attributes) if other.renamed_from is None]
        removed = [other.name for other in _like(each, owner.removed_attributes)]
        what, why, to_do = "removed", _KEPT, rename_hint(added, stored, drop)
        if (now := class_.attributes.get(each.name)) is not None:
            if now.origin is Origin.DERIVED:
                why = "Objects keep the stored values, but the derived ones are shown."
                what, to_do = "now derived", drop
            else:
                other = owner.new_names.to_stored[each.name]
                why = f"Objects keep the values stored as {stored}, but those stored as {other} are shown."
                what = f"stored as {other}, was {stored}"
                to_do = f"If no object has a value stored as {stored}, there is nothing to do. {drop}"
        elif (name := probable_rename(each.name, added, removed)) is not None:
            what = f"removed, or renamed to {name}?"
            to_do = rename_advice(name, _renamed_line(class_.attributes[name], stored), drop)
        versions = path if owner.old.versioned else ""
        yield settled_if_none(decision(subject, what, why, to_do, question), kept_in_versions=versions)


def _like(attribute: Attribute, others: Iterable[Attribute]) -> Iterator[Attribute]:
    """Yield those native attributes that have the type of another."""
    return (each for each in others if each.origin is Origin.NATIVE and each.type.name == attribute.type.name)


def _renamed_line(attribute: Attribute, stored: str) -> str:
    return f'{attribute.name}: {attribute.type.name}{"!" * attribute.required} @renamed(from: "{stored}")'


def _renamed(pair: AttributePair) -> Changes:
    """Attributes that are stored under the same name, and have another one for clients."""
    if pair.old.name != pair.new.name and pair.new.origin is Origin.NATIVE:
        why = "Stored values stay as they are. Clients must use the new name."
        yield safe(pair.subject, f"renamed, was {pair.old.name}", why)


def _can_have_default(attribute: Attribute, class_: Class) -> bool:
    """Return whether the model check accepts `@default` on an attribute without one."""
    is_unique = any(attribute.name in unique.attributes for unique in class_.uniques)
    return not is_unique and not attribute.type.holds_file


def _required(pair: AttributePair) -> Changes:
    """Attributes that become required or optional."""
    old, new, owner = pair.old, pair.new, pair.owner
    if old.required == new.required:
        return
    if not new.required:
        yield safe(pair.subject, "no longer required")
    elif new.default is not None:
        why = f"Objects without a value show {_show(new.default)}."
        yield safe(pair.subject, "now required", why)
    elif new.type.numbered or not owner.new.is_stored:
        yield safe(pair.subject, "now required")
    else:
        why = (
            "Objects without a value stay valid, and updates that leave it empty succeed, "
            "but a value that was set can't be removed."
        )
        to_do = f'Add `@default(value: "…")` to {new.name}, or fill in the missing values.'
        if not _can_have_default(new, owner.new):
            to_do = f"Fill in the missing values before you make {new.name} required."
        question = without_value(owner.stored_name, owner.new.name, pair.stored_name)
        yield settled_if_none(decision(pair.subject, "now required", why, to_do, question))


def _default(pair: AttributePair) -> Changes:
    """Defaults that were added, changed or removed."""
    old, new, owner = pair.old.default, pair.new.default, pair.owner
    if old == new:
        return
    name, class_ = pair.stored_name, owner.new.name
    absent = WithState(owner.stored_name, class_, "have no value", lambda state: name not in state)
    if new is None:
        why = f"Objects that never had a value showed {_show(old)}, and show null again."
        to_do = (
            f"To make the default permanent first, run `stratabase model convert {pair.subject}` "
            "with the model that has it."
        )
        change = decision(pair.subject, f"default {_show(old)} removed", why, to_do, absent)
        # Closed versions show the default too. They are not counted.
        yield change if owner.old.versioned else settled_if_none(change)
        return
    was = f", was {_show(old)}" if old is not None else ""
    why = f"Objects that never had a value show {_show(new)}."
    if pair.built_for:
        why += f" {', '.join(pair.built_for)} must be built again."
        yield to_build(pair.subject, f"default {_show(new)}{was}", why, class_, absent)
    else:
        yield safe(pair.subject, f"default {_show(new)}{was}", why, absent)


def _derivation(pair: AttributePair) -> Changes:
    """Yield a change of the expression or path of a derived attribute."""
    if pair.old.derivation != pair.new.derivation and pair.new.derivation is not None:
        yield safe(pair.subject, "derivation changed", "Derived values are computed on each read.")


def _description(pair: AttributePair) -> Changes:
    if pair.old.description != pair.new.description:
        yield safe(pair.subject, "description changed")


def _domain(pair: AttributePair) -> Changes:
    """Arguments of `@domain` and `@file` that accept fewer or more values."""
    old, new = argument_values(pair.old.constraints), argument_values(pair.new.constraints)
    changed = [name for name in new if old[name] != new[name]]
    if not changed:
        return
    tightened = [name for name in changed if is_tightened(pair.new.type, name, old[name], new[name])]
    what = "; ".join(f"{name} {_show(new[name])}, was {_show(old[name])}" for name in changed)
    if not tightened or pair.new.origin is not Origin.NATIVE:
        yield safe(pair.subject, f"domain loosened: {what}")
        return
    why = "Stored values that the new domain refuses stay stored and are shown, but can't be written again."
    to_do = "Change the values that it refuses, or loosen the domain."
    question = outside_domain(pair.owner.stored_name, pair.owner.new.name, pair.stored_name, pair.new)
    yield settled_if_none(decision(pair.subject, f"domain tightened: {what}", why, to_do, question))


def _show(value: Any) -> str:
    if value is None or value == ():
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    return ", ".join(map(_show, value)) if isinstance(value, tuple) else str(value)


ATTRIBUTE_RULES = (
    each_class(_removed),
    each_class(_added),
    each_attribute(_renamed),
    each_attribute(_required),
    each_attribute(_default),
    each_attribute(_domain),
    each_attribute(_derivation),
    each_attribute(_description),
)
