"""Decides what a change of a role's storage means: READY at once, to be built, or to be moved.

An association is kept in exactly one place, its truth: in a key, in links, or in the state of a whole.
Everything else (links and guards at the targets of keys, the far ends of links, former links, counts) follows
from the truth. So there are two kinds of change:

- The truth stays, and other items are kept. A build derives them. Until it is finished, the role is answered
  from its truth.
- The truth is elsewhere than before. A build moves every association. Until then, the role is refused.
  Before it moves the first one to links, it removes all links that are there: they stand for nothing.

Entries of other models are compared by role and target. An association that was split, so that the role which
holds it has lost its opposite, stays with that role. The former opposite starts empty.
"""

from collections.abc import Iterator, Mapping

from stratabase.core.domain.objects.entity import RoleName
from stratabase.core.store.indexes.entries import BuildState, MoveStage, RoleEntry
from stratabase.core.store.layout.associations import COUNTS, LINKED_TRUTH, PAST_LINKS, StoredRole

RoleEntries = tuple[RoleEntry, ...]
EntriesByClass = Mapping[str, RoleEntries]
RolesByName = Mapping[RoleName, StoredRole]
ALL_CLASSES = "#"
"""A made-up class in the registry. Its entry says that the entries list all roles that were ever served.

Earlier versions of the service list only required roles. They keep this entry, like those of other classes.
"""
ALL_ROLES = StoredRole(RoleName(ALL_CLASSES, ALL_CLASSES), ALL_CLASSES, None, None, "all roles")


def first_state(
    entries: EntriesByClass, wanted: StoredRole, roles: RolesByName, *, is_new: bool, are_listed: bool
) -> BuildState:
    """Return the state of a new entry.

    `roles`: all roles of the model. `is_new`: one of the two classes is new, so there is no association yet.
    `are_listed`: the registry lists all roles that were ever served. If it does not, it was written by an
    earlier version of the service, which kept the items of all roles, but did not list them.
    """
    if is_new or not (are_listed or wanted.is_required):
        return BuildState.READY
    if former_entries(entries, wanted, roles):
        return BuildState.BUILDING
    same = _same_role(entries, wanted.role)
    is_kept = any(entry.is_whole and entry.stored.covers(wanted) for entry in same)
    return BuildState.READY if is_kept or not wanted.is_built else BuildState.BUILDING


def first_past(entries: EntriesByClass, wanted: StoredRole, state: BuildState, now: int) -> int | None:
    """Return the instant from which all former links of a new entry are kept, None if it is not known yet."""
    kept = (
        entry.past_from
        for entry in _same_role(entries, wanted.role)
        if entry.stored.keeps_past
        and not entry.violated
        and (entry.stored.key_role, entry.stored.target) == (wanted.key_role, wanted.target)
    )
    return next(kept, now if state is BuildState.READY else None)


def first_move(entries: EntriesByClass, wanted: StoredRole, roles: RolesByName) -> int | None:
    """Return when the associations of a new entry were moved to where it keeps them, 0 if they were not.

    None: the next build moves them.
    """
    if former_entries(entries, wanted, roles):
        return None
    same = (each for each in _same_role(entries, wanted.role) if each.stored.truth == wanted.truth)
    return next((each.moved_at for each in same if each.stored.target == wanted.target), 0)


def first_stage(entries: EntriesByClass, wanted: StoredRole, roles: RolesByName) -> MoveStage:
    """Return how far associations were moved to where a new entry keeps them."""
    stages = {entry.stage for entry in entries_of_association(entries, wanted, wanted.truth)}
    if stages:
        return MoveStage.BEGUN if MoveStage.BEGUN in stages else stages.pop()
    return MoveStage.WAITING if former_entries(entries, wanted, roles) else MoveStage.BEGUN


def has_all_links(entries: EntriesByClass, wanted: StoredRole) -> bool:
    """Return whether all links and guards of a role are kept, so that at most its counts are to be built."""
    needed = {item for item in wanted.items if item not in {COUNTS, PAST_LINKS}}
    return any(
        entry.is_whole
        and (entry.stored.target, entry.stored.truth) == (wanted.target, wanted.truth)
        and entry.stored.items >= needed
        for entry in _same_role(entries, wanted.role)
    )


def former_entries(entries: EntriesByClass, wanted: StoredRole, roles: RolesByName) -> RoleEntries:
    """Return the entries that say where the associations of a role were kept before, if not here.

    Where no build has begun to move them, there are none.
    """
    return tuple(
        entry
        for entry in entries_of_association(entries, wanted)
        if entry.stored.truth != wanted.truth
        and entry.stage is not MoveStage.WAITING
        and not _stays(entry.stored, roles)
    )


def entries_of_association(
    entries: EntriesByClass, wanted: StoredRole, truth: str | None = None
) -> RoleEntries:
    """Return the entries of both ends of an association. `truth`: only those that keep it there.

    The model may not have the role at the other end any more. An entry of that role names this one.
    """
    ends = _ends(wanted).items()
    return tuple(
        entry
        for class_name in dict.fromkeys((wanted.role.class_name, wanted.target))
        for entry in entries.get(class_name, ())
        if ends & _ends(entry.stored).items() and truth in {None, entry.stored.truth}
    )


def _ends(stored: StoredRole) -> Mapping[RoleName, str]:
    """Return the roles of an association that the model has, with the classes that they refer to."""
    opposite = stored.opposite_role
    far = {} if opposite is None else {opposite: stored.role.class_name}
    return {stored.role: stored.target, **far}


def _stays(former: StoredRole, roles: RolesByName) -> bool:
    """Return whether a role of the model still has the associations where they were kept."""
    found = ((roles.get(name), target) for name, target in _ends(former).items())
    return any(
        role is not None and role.target == target and role.truth == former.truth for role, target in found
    )


def link_sources(entries: EntriesByClass, wanted: StoredRole) -> frozenset[RoleName]:
    """Return the ends of an association whose links are complete. Links of other ends follow from them."""
    known = entries_of_association(entries, wanted, LINKED_TRUTH)
    if whole := {entry.stored.role for entry in known if entry.is_whole}:
        return frozenset(whole)
    # Every build that moved associations here wrote links at each end that its model has.
    ends = frozenset(_ends(wanted))
    written = (_linked_ends(entry.stored) for entry in known if entry.stage is MoveStage.BEGUN)
    return ends.intersection(*written) or ends


def _linked_ends(stored: StoredRole) -> frozenset[RoleName]:
    """Return the ends at which an association has links."""
    names = {name for name in _ends(stored) if f"links {name.role_name}" in stored.items}
    return frozenset({stored.role, *names})


def _same_role(entries: EntriesByClass, name: RoleName) -> Iterator[RoleEntry]:
    return (entry for entry in entries.get(name.class_name, ()) if entry.stored.role == name)
