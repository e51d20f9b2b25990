"""Changes of classes: added, removed, renamed, their kind, parts, versions, services and descriptions."""

from collections.abc import Iterator, Sequence
from typing import Any

from stratabase.core.model.model import Class, ClassKind, Model
from stratabase.core.model.stored_names import StoredNames
from stratabase.core.store.indexes.registry import lists_deleted
from stratabase.evolution.difference.change import (
    Changes,
    ClassPair,
    ModelComparison,
    decision,
    each_class,
    erase_advice,
    probable_rename,
    rename_advice,
    rename_hint,
    safe,
    settled_if_none,
    to_build,
)
from stratabase.evolution.difference.questions import AllObjects, with_value


def _added(comparison: ModelComparison, _: Sequence[Any]) -> Changes:
    """Classes that only the new model has."""
    for each in comparison.added_classes:
        yield safe(f"class {each.name}", "added")


def _removed(comparison: ModelComparison, _: Sequence[Any]) -> Changes:
    """Classes that only the old model has. A similar new class may be the same one."""
    for each in comparison.removed_classes:
        subject = f"class {each.name}"
        if not each.is_stored:
            yield safe(subject, "removed", "Its objects are never stored.")
            continue
        stored = each.renamed_from or each.name
        drop = erase_advice(stored)
        why = "Its objects stay stored, but no service shows them."
        added = [other.name for other in comparison.added_classes if _looks_alike(each, other)]
        alike = [other.name for other in comparison.removed_classes if _looks_alike(each, other)]
        name = probable_rename(each.name, added, alike or [each.name])
        what, to_do = "removed", rename_hint(added, stored, drop)
        if name is not None:
            what = f"removed, or renamed to {name}?"
            to_do = rename_advice(name, f'type {name} @renamed(from: "{stored}")', drop)
        change = decision(subject, what, why, to_do, AllObjects(stored, each.name))
        yield settled_if_none(change, kept_in_versions=stored if each.versioned else "")


def _looks_alike(old: Class, new: Class) -> bool:
    """Return whether a class has the kind and at least half of the attributes and roles of another."""
    names = {*old.attributes, *old.roles}
    return (
        old.kind is new.kind
        and new.renamed_from is None
        and 2 * len(names & {*new.attributes, *new.roles}) >= len(names)
    )


def _renamed(pair: ClassPair) -> Changes:
    """Classes that are stored under the same name, and have another one for clients."""
    if pair.old.name != pair.new.name:
        why = (
            "Stored objects, their ids and saved addresses of files stay valid. Clients must use "
            "the new name."
        )
        yield safe(f"class {pair.new.name}", f"renamed, was {pair.old.name}", why)


def _kind(pair: ClassPair) -> Changes:
    """Classes that become ordinary, singletons or forms."""
    old, new = pair.old.kind, pair.new.kind
    if old is new:
        return
    what = f"kind {new.value}, was {old.value}"
    if old is ClassKind.FORM:
        yield safe(f"class {pair.new.name}", what, "Its objects were never stored until now.")
        return
    reasons = {
        ClassKind.FORM: (
            "Objects of a form are not stored. Those that are stored stay so, but no service shows them."
        ),
        ClassKind.SINGLETON: (
            "A singleton has one object of its own. The stored objects stay so, but no service shows them."
        ),
        ClassKind.ORDINARY: "The object of the singleton becomes one of many.",
    }
    to_do = "Keep the kind, and add a new class. Or export the objects before, and create them anew."
    yield decision(
        f"class {pair.new.name}", what, reasons[new], to_do, AllObjects(pair.stored_name, pair.new.name)
    )


def _versioned(pair: ClassPair) -> Changes:
    """Classes whose versions are kept from now on, or no longer."""
    if pair.old.versioned == pair.new.versioned:
        return
    subject, question = f"class {pair.new.name}", AllObjects(pair.stored_name, pair.new.name)
    if pair.new.versioned:
        why = "The first version of each object is its present state. Earlier states do not exist."
        to_do = "Tell those who rely on versions from when they exist."
        yield settled_if_none(decision(subject, "now versioned", why, to_do, question))
    else:
        why = "Writes close no versions any more. Closed versions stay stored, but no service shows them."
        to_do = "Leave the class versioned if anybody needs its versions."
        yield decision(subject, "no longer versioned", why, to_do, question)


def _deleted_objects(pair: ClassPair) -> Changes:
    """Classes whose deleted objects are listed from now on."""
    if pair.old.is_stored and lists_deleted(pair.new) and not lists_deleted(pair.old):
        name = pair.new.name
        why = f"Until it is built, {name}___getDeletedPage and pages with atVersion are refused."
        yield to_build(f"class {name}", "list of deleted objects added", why, name)


def _parts_without_versions(comparison: ModelComparison, _: Sequence[Any]) -> Changes:
    """Versioned wholes whose parts have no versions, unless that was so before."""
    before = set(_unversioned_parts(comparison.old, comparison.old_names))
    for stored_name, stored_role in _unversioned_parts(comparison.new, comparison.new_names):
        if (stored_name, stored_role) not in before:
            names = comparison.new_names.by_stored_name[stored_name]
            role = names.from_stored[stored_role]
            part = comparison.new.classes[names.name].roles[role].target
            why = (
                f"A version of {names.name} shows its {part} objects as they are today, and can't "
                "restore them."
            )
            to_do = f"To keep versions of the parts, write `type {part} @class(versioned: true)`."
            yield decision(f"{names.name}.{role}", "parts without versions", why, to_do)


def _unversioned_parts(model: Model, names: StoredNames) -> Iterator[tuple[str, str]]:
    """Yield the stored names of each versioned class and of its roles to parts without versions."""
    for class_ in model.classes.values():
        for role in class_.compositions if class_.versioned else ():
            if not model.classes[role.target].versioned:
                own = names.classes[class_.name]
                yield own.stored_name, own.to_stored[role.name]


def _exposed(pair: ClassPair) -> Changes:
    """Classes that get or lose services of their own."""
    if pair.old.exposed != pair.new.exposed and pair.old.part == pair.new.part:
        if pair.new.exposed:
            yield safe(f"class {pair.new.name}", "now exposed", "It gets services of its own.")
        else:
            why = "Clients that use its own services get errors. Roles still lead to its objects."
            yield safe(f"class {pair.new.name}", "no longer exposed", why)


def _part(pair: ClassPair) -> Changes:
    """Classes whose objects become parts, or stop being parts."""
    if pair.old.part == pair.new.part:
        return
    name = pair.new.name
    if pair.new.part:
        why = (
            f"Each {name} belongs to one whole from now on. Stored objects without a whole can't "
            "be written or reached."
        )
        to_do = (
            "Decide for each object which whole it belongs to, or keep the association. Then run "
            f"`stratabase reindex {name}`."
        )
        objects = AllObjects(pair.stored_name, name)
        yield settled_if_none(decision(f"class {name}", "now a part", why, to_do, objects), builds=name)
    else:
        wholes = [stored for stored, role in pair.old_names.to_stored.items() if _is_whole(pair.old, stored)]
        why = "Its objects get services of their own, and are no longer deleted with their wholes."
        to_do = (
            f"Check the grants of {name}, because it no longer follows those of its whole. Then "
            f"run `stratabase reindex {name}`."
        )
        question = (
            with_value(pair.stored_name, name, pair.old_names.to_stored[wholes[0]], "belong to a whole")
            if wholes
            else AllObjects(pair.stored_name, name)
        )
        yield decision(f"class {name}", "no longer a part", why, to_do, question)


def _is_whole(class_: Class, name: str) -> bool:
    role = class_.roles.get(name)
    return role is not None and role.whole


def _description(pair: ClassPair) -> Changes:
    if pair.old.description != pair.new.description:
        yield safe(f"class {pair.new.name}", "description changed")


def _label(pair: ClassPair) -> Changes:
    if pair.old.label != pair.new.label:
        yield safe(f"class {pair.new.name}", "label changed")


def _group(pair: ClassPair) -> Changes:
    if pair.old.group != pair.new.group:
        yield safe(f"class {pair.new.name}", "group changed")


CLASS_RULES = (
    _removed,
    _added,
    each_class(_renamed),
    each_class(_kind),
    each_class(_part),
    each_class(_versioned),
    each_class(_deleted_objects),
    _parts_without_versions,
    each_class(_exposed),
    each_class(_description),
    each_class(_label),
    each_class(_group),
)
