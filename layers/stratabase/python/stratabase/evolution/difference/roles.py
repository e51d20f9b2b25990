"""Changes of roles: added, removed, renamed, and changes of how their associations are stored.

Associations are stored as keys in the objects of one side, as links of their own, or as lists of parts.
Where they are follows from both sides of the association. `stratabase reindex` builds what a changed role
needs from what was stored before.
"""

from enum import Enum

from stratabase.core.model.model import Model, Role
from stratabase.core.model.stored_names import StoredNames
from stratabase.evolution.difference.change import (
    Changes,
    ClassPair,
    RolePair,
    decision,
    each_class,
    each_role,
    erase_advice,
    probable_rename,
    reindex_advice,
    rename_advice,
    rename_hint,
    safe,
    settled_if_none,
    to_build,
)
from stratabase.evolution.difference.questions import (
    AllObjects,
    OtherKey,
    Question,
    WithAssociations,
    with_value,
)


class _Holder(Enum):
    """What holds the associations of a role."""

    OWN_KEY = "keys in its own objects"
    OTHER_KEY = "keys in the objects that it leads to"
    LINKS = "links of their own"
    PARTS = "lists of parts"
    WHOLE = "the key of the whole"


def _holder(model: Model, role: Role) -> _Holder:
    if role.composition or role.whole:
        return _Holder.PARTS if role.composition else _Holder.WHOLE
    if not role.many:
        return _Holder.OWN_KEY if role.holds_key else _Holder.OTHER_KEY
    opposite = None if role.opposite is None else model.classes[role.target].roles[role.opposite]
    return _Holder.LINKS if opposite is None or opposite.many else _Holder.OTHER_KEY


def _holders(pair: RolePair) -> tuple[_Holder, _Holder]:
    comparison = pair.owner.comparison
    return _holder(comparison.old, pair.old), _holder(comparison.new, pair.new)


def _added(owner: ClassPair) -> Changes:
    """Roles that only the new model has."""
    class_ = owner.new
    for each in owner.added_roles:
        if each.whole:
            continue  # it comes with a composition
        subject, what = f"{class_.name}.{each.name}", f"{_type_name(each)} added"
        if each.required and class_.is_stored and not _is_back(owner, each):
            why = (
                "Stored objects lead to no object. They stay valid, and updates that leave the role empty "
                "succeed, but an association that was set can't be removed."
            )
            to_do = f"Leave {each.name} optional, or set it for all objects. {reindex_advice(class_.name)}"
            change = decision(subject, what, why, to_do, AllObjects(owner.stored_name, class_.name))
            yield settled_if_none(change, builds=class_.name)
        else:
            yield safe(subject, what)


def _is_back(owner: ClassPair, role: Role) -> bool:
    """Return whether a new role only leads back along an association that objects have already."""
    comparison = owner.comparison
    return role.opposite is not None and any(
        other.new.name == role.opposite
        for pair in comparison.classes
        if pair.new.name == role.target
        for other in pair.roles
    )


def _removed(owner: ClassPair) -> Changes:
    """Roles that only the old model has. A similar new one may be the same role."""
    class_ = owner.new
    for each in owner.removed_roles:
        if each.whole:
            continue  # it goes with its composition
        subject = f"{class_.name}.{each.name}"
        holder = _holder(owner.comparison.old, each)
        if holder is _Holder.OTHER_KEY:
            yield safe(subject, "removed", f"The associations stay with {each.target}.{each.opposite}.")
            continue
        stored = owner.old_names.to_stored[each.name]
        question = (
            WithAssociations(owner.stored_name, class_.name, "lead to an object", stored, in_links=True)
            if holder is _Holder.LINKS
            else with_value(owner.stored_name, class_.name, stored, "lead to an object")
        )
        kind = _kind(owner.comparison.old_names, each)
        added = [
            other.name
            for other in owner.added_roles
            if other.renamed_from is None and _kind(owner.comparison.new_names, other) == kind
        ]
        removed = [
            other.name for other in owner.removed_roles if _kind(owner.comparison.old_names, other) == kind
        ]
        why = (
            "Its parts stay stored, but no service shows them."
            if each.composition
            else "The associations stay stored, but no service shows them."
        )
        path = f"{owner.stored_name}.{stored}"
        drop = erase_advice(path)
        name = probable_rename(each.name, added, removed)
        what, to_do = "removed", rename_hint(added, stored, drop)
        if name is not None:
            what = f"removed, or renamed to {name}?"
            to_do = rename_advice(name, _renamed_line(class_.roles[name], stored), drop)
        change = decision(subject, what, why, to_do, question)
        if holder is _Holder.LINKS and owner.old.versioned:
            yield change  # former links are not counted
        else:
            yield settled_if_none(change, kept_in_versions=path if owner.old.versioned else "")


def _kind(names: StoredNames, role: Role) -> tuple[bool, bool, str]:
    """Return what a role has in common with one that can be its new name."""
    return role.many, role.composition, _stored_target(names, role)


def _renamed_line(role: Role, stored: str) -> str:
    back = "" if role.opposite is None else f' @association(opposite: "{role.opposite}")'
    kind = " @composition" if role.composition else back
    return f'{role.name}: {_type_name(role)}{kind} @renamed(from: "{stored}")'


def _stored_target(names: StoredNames, role: Role) -> str:
    return names.classes[role.target].stored_name


def _type_name(role: Role) -> str:
    return (f"[{role.target}!]" if role.many else role.target) + "!" * role.required


def _renamed(pair: RolePair) -> Changes:
    """Roles whose associations are stored under the same name, and have another one for clients."""
    if pair.old.name != pair.new.name:
        why = "Stored associations stay as they are. Clients must use the new name."
        yield safe(pair.subject, f"renamed, was {pair.old.name}", why)


def _is_same_association(pair: RolePair) -> bool:
    """Return whether a role leads to the same class, and still is an association or still a composition."""
    return _leads_to_same(pair) and (pair.old.composition, pair.old.whole) == (
        pair.new.composition,
        pair.new.whole,
    )


def _leads_to_same(pair: RolePair) -> bool:
    comparison = pair.owner.comparison
    old, new = (
        _stored_target(comparison.old_names, pair.old),
        _stored_target(comparison.new_names, pair.new),
    )
    return old == new


def _target(pair: RolePair) -> Changes:
    """Roles that lead to another class."""
    if not _leads_to_same(pair):
        why = f"The stored ids are those of {pair.old.target} objects, so no {pair.new.target} has them."
        to_do = (
            f"Give the role another name, `{pair.new.name}_new: {_type_name(pair.new)}`, "
            f"or remove the role, run `stratabase model drop {pair.owner.stored_name}.{pair.stored_name}`, "
            "and add it again."
        )
        yield decision(
            pair.subject, f"target {pair.new.target}, was {pair.old.target}", why, to_do, *_used(pair)
        )


def _composition(pair: RolePair) -> Changes:
    """Associations that become compositions, and the other way round."""
    if pair.old.composition == pair.new.composition or pair.new.whole or pair.old.whole:
        return
    build = reindex_advice(pair.owner.new.name)
    if pair.new.composition:
        why = (
            f"Each {pair.new.target} belongs to one {pair.owner.new.name} from now on, "
            "and is deleted with it. "
            "An object that several lead to can be a part of only one."
        )
        to_do = f"Check the objects that several lead to. {build}"
        yield decision(pair.subject, "composition, was association", why, to_do, *_used(pair))
    else:
        why = (
            f"{pair.new.target} objects get lives of their own: they are no longer deleted with their whole."
        )
        yield decision(pair.subject, "association, was composition", why, build, *_used(pair))


def _multiplicity(pair: RolePair) -> Changes:
    """To-one roles that become to-many, and the other way round."""
    if pair.old.many == pair.new.many or not _is_same_association(pair):
        return
    name = pair.owner.new.name
    if pair.new.many:
        kept = _holders(pair)[1].value
        why = (
            f"The associations are kept as {kept} from now on. Until these are built, the role is answered "
            "from what was stored before, or refused."
        )
        yield to_build(pair.subject, "to-many, was to-one", why, name, *_used(pair))
    else:
        why = "A to-one role leads to only one object."
        to_do = f"Decide which object stays for those that lead to several. {reindex_advice(name)}"
        yield decision(pair.subject, "to-one, was to-many", why, to_do, *_with_several(pair))


def _opposite(pair: RolePair) -> Changes:
    """Roles that get or lose the role that leads back, or get another one."""
    if not _is_same_association(pair) or pair.old.composition or pair.old.whole:
        return
    old, new = _stored_opposite(pair, pair.old), _stored_opposite(pair, pair.new)
    if old == new or pair.old.many != pair.new.many:
        return
    target = pair.new.target
    what = (
        f"opposite {target}.{pair.new.opposite}"
        if pair.new.opposite
        else f"without opposite, was {pair.old.target}.{pair.old.opposite}"
    )
    before, after = _holders(pair)
    if new is None and before is after:
        yield safe(pair.subject, what, "The associations stay as they are.")
        return
    moved = "" if before is after else f" The associations are kept as {after.value} from now on."
    why = f"The way back must be built from the stored associations.{moved}" if new else f"{moved.strip()}"
    yield to_build(pair.subject, what, why, pair.owner.new.name, *_used(pair))


def _stored_opposite(pair: RolePair, role: Role) -> str | None:
    if role.opposite is None:
        return None
    comparison = pair.owner.comparison
    names = comparison.new_names if role is pair.new else comparison.old_names
    return names.classes[role.target].to_stored[role.opposite]


def _key_moved(pair: RolePair) -> Changes:
    """One-to-one associations whose other side holds the key from now on (`holds`)."""
    if (
        _is_same_association(pair)
        and not (pair.old.many or pair.new.many)
        and pair.new.holds_key
        and not pair.old.holds_key
    ):
        why = f"The key moves from {pair.new.target} objects to {pair.owner.new.name} objects."
        yield to_build(pair.subject, "now holds the key", why, pair.owner.new.name, *_used(pair))


def _required(pair: RolePair) -> Changes:
    """Roles that become required or optional."""
    if pair.old.required == pair.new.required or pair.new.whole:
        return
    if not pair.new.required:
        yield safe(
            pair.subject, "no longer required", "What was kept to enforce it goes with the next reindex."
        )
        return
    why = (
        "Objects that lead to no object stay valid, and updates that leave the role empty succeed, "
        "but an association that was set can't be removed."
    )
    to_do = f"Set the role for the objects without it. {reindex_advice(pair.owner.new.name)}"
    change = decision(pair.subject, "now required", why, to_do, *_without(pair))
    yield settled_if_none(change, builds=pair.owner.new.name)


def _description(pair: RolePair) -> Changes:
    if pair.old.description != pair.new.description:
        yield safe(pair.subject, "description changed")


def _used(pair: RolePair) -> tuple[Question, ...]:
    """Return the question how many objects have associations."""
    return (_question(pair, "lead to an object"),)


def _without(pair: RolePair) -> tuple[Question, ...]:
    """Return the question how many objects have no association."""
    return (_question(pair, "lead to no object", least=0, most=0),)


def _with_several(pair: RolePair) -> tuple[Question, ...]:
    """Return the question how many objects have too many associations for a to-one role."""
    text = "have several parts" if pair.old.composition else "lead to several objects"
    return (_question(pair, text, least=2),)


def _question(pair: RolePair, text: str, least: int = 1, most: int | None = None) -> WithAssociations:
    """Return the question how many objects have a number of associations, in the old and the new place."""
    holders = set(_holders(pair)) if _leads_to_same(pair) else {_holders(pair)[0]}
    return WithAssociations(
        pair.owner.stored_name,
        pair.owner.new.name,
        text,
        pair.stored_name,
        in_state=bool(holders & {_Holder.OWN_KEY, _Holder.PARTS, _Holder.WHOLE}),
        in_links=_Holder.LINKS in holders,
        keys=_other_keys(pair) if _Holder.OTHER_KEY in holders else (),
        least=least,
        most=most,
    )


def _other_keys(pair: RolePair) -> tuple[OtherKey, ...]:
    """Return the keys at the other side, by their stored names in the old and in the new model."""
    comparison = pair.owner.comparison
    sides = ((comparison.old_names, pair.old), (comparison.new_names, pair.new))
    known = ((names.classes[role.target], role.opposite) for names, role in sides)
    keys = (OtherKey(names.stored_name, names.to_stored[back]) for names, back in known if back is not None)
    return tuple(dict.fromkeys(keys))


ROLE_RULES = (
    each_class(_removed),
    each_class(_added),
    each_role(_renamed),
    each_role(_target),
    each_role(_composition),
    each_role(_multiplicity),
    each_role(_opposite),
    each_role(_key_moved),
    each_role(_required),
    each_role(_description),
)
