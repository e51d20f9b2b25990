"""Changes of what members may do: the application, profiles, and grants, profile by profile."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from stratabase.core.model.model import Action, Class, DefaultAccess, Grant, Model, Profile, lies_within
from stratabase.core.model.users import USER, USER_ATTRIBUTES
from stratabase.evolution.difference.change import (
    Changes,
    ClassPair,
    ModelChange,
    ModelComparison,
    decision,
    probable_rename,
    rename_advice,
    safe,
    settled_if_none,
)
from stratabase.evolution.difference.questions import MembersWithProfile

_CHECK = "Check that this is meant."
Rights = Mapping[Action, str | None]
"""By permitted action: the condition that objects must meet, None if all objects may be meant."""
_EVERYTHING: Rights = dict.fromkeys(Action)
_DEFAULTS: Mapping[DefaultAccess, str] = {
    DefaultAccess.NONE: "do nothing",
    DefaultAccess.READ: "only read",
    DefaultAccess.FULL: "do everything",
}
"""What a profile with this access may do with a class that has no grant for it."""


def _application(comparison: ModelComparison, _: Sequence[Any]) -> Changes:
    """Another name of the application."""
    old, new = comparison.old.application, comparison.new.application
    if old != new:
        why = f"Tokens name the application, so all live tokens end. The address of the API ends with /{new}."
        to_do = "Give clients the new address. Members sign in again."
        yield decision(f"application {new}", f"renamed, was {old}", why, to_do)


def _profile_pairs(comparison: ModelComparison) -> Iterator[tuple[Profile, Profile]]:
    """Yield the profiles that both models have. A profile can have been renamed."""
    for new in comparison.new.profiles.values():
        known = comparison.old.profiles
        old = known.get(new.name) or known.get(new.renamed_from or "")
        if old is not None:
            yield old, new


def _profiles(comparison: ModelComparison, _: Sequence[Any]) -> Changes:
    """Profiles that were added, removed or renamed."""
    pairs = list(_profile_pairs(comparison))
    kept, known = {old.name for old, _ in pairs}, {new.name for _, new in pairs}
    added = [name for name in comparison.new.profiles if name not in known]
    gone = [old for old in comparison.old.profiles.values() if old.name not in kept]
    for old in gone:
        yield _removed_profile(old, [comparison.new.profiles[name] for name in added], gone)
    yield from (safe(f"profile {name}", "added") for name in added)
    for old, new in pairs:
        if old.name != new.name:
            why = "Members who have the former profile have the new one."
            yield safe(f"profile {new.name}", f"renamed, was {old.name}", why)


def _removed_profile(old: Profile, added: Sequence[Profile], gone: Sequence[Profile]) -> ModelChange:
    why = "Stratabase refuses the requests of members who have the profile."
    to_do = "Give these members another profile. To list them, run `stratabase members list`."
    removed = [each.name for each in gone if each.administrator == old.administrator]
    alike = [each.name for each in added if each.administrator == old.administrator]
    name = old.renamed_from if old.renamed_from in alike else probable_rename(old.name, alike, removed)
    what = "removed"
    if name is not None:
        what = f"removed, or renamed to {name}?"
        to_do = rename_advice(name, f'@profile(name: "{name}", from: "{old.name}")', to_do)
    return settled_if_none(decision(f"profile {old.name}", what, why, to_do, MembersWithProfile(old.name)))


def _administrators(comparison: ModelComparison, _: Sequence[Any]) -> Changes:
    """Profiles whose members become administrators, or stop being administrators."""
    for old, new in _profile_pairs(comparison):
        question = MembersWithProfile(old.name)
        if new.administrator and not old.administrator:
            why = "Its members may do everything, and manage other members."
            yield decision(f"profile {new.name}", "now an administrator", why, _CHECK, question)
        elif old.administrator and not new.administrator:
            why = "Its members may no longer manage other members."
            yield decision(f"profile {new.name}", "no longer an administrator", why, _CHECK, question)


def _narrower(comparison: ModelComparison, _: Sequence[Any]) -> Changes:
    """Profiles that lie within other ones from now on, or no longer, so that keys can have them, or can't."""
    present = {old.name: new.name for old, new in _profile_pairs(comparison)}
    profiles = comparison.new.profiles
    for old, new in _profile_pairs(comparison):
        before = [present[name] for name in old.within if name in present]
        for name in new.within:
            if name not in before:
                why = f"Members who have {name} can make API keys with {new.name}."
                yield safe(f"profile {new.name}", f"within {name}", why)
        for name in before:
            if not lies_within(profiles, new.name, name):
                why = f"Stratabase refuses the API keys with {new.name} that members who have {name} made."
                yield decision(f"profile {new.name}", f"no longer within {name}", why, _CHECK)


def _grants(comparison: ModelComparison, _: Sequence[Any]) -> Changes:
    """Actions that a profile may do from now on, or no longer, class by class and field by field."""
    for old, new in _profile_pairs(comparison):
        if old.administrator or new.administrator:
            continue
        if old.access is not new.access:
            yield _other_access(comparison, old, new)
        if not _is_named(comparison.old, old.name) and not _is_named(comparison.new, new.name):
            continue
        for pair in comparison.classes:
            yield from _class_rights(pair, old, new)
            yield from _field_rights(pair, old.name, new.name)
        yield from _user_rights(comparison, old.name, new.name)


def _other_access(comparison: ModelComparison, old: Profile, new: Profile) -> ModelChange:
    """Return the change of what a profile may do with the classes that name it in no grant."""
    verb, to_do = _DEFAULTS[new.access], _CHECK
    why = f"Its members may {verb}, because no @grant names the profile."
    if _is_named(comparison.new, new.name):
        why = f"With the classes that have no @grant for the profile, its members may {verb}."
    if new.access.actions < old.access.actions:
        to_do = f"If this is not meant, write `access: {old.access.value}` at the profile."
    what = f"access: {new.access.value}, was {old.access.value}"
    return decision(f"profile {new.name}", what, why, to_do, MembersWithProfile(old.name))


def _is_named(model: Model, profile: str) -> bool:
    """Return whether a grant of the model names the profile."""
    grants = [*model.user_grants, *(grant for class_ in model.classes.values() for grant in class_.grants)]
    return any(grant.profile == profile for grant in grants)


def with_former_default(model: Model) -> Model:
    """Return a model with the rights that it gave before `@profile` had `access`.

    A profile that no grant named could do everything.
    """
    profiles = {
        name: profile
        if profile.administrator or _is_named(model, name)
        else replace(profile, access=DefaultAccess.FULL)
        for name, profile in model.profiles.items()
    }
    return replace(model, profiles=MappingProxyType(profiles))


def _class_rights(pair: ClassPair, old_profile: Profile, new_profile: Profile) -> Changes:
    grants = (
        _grant(pair.old.grants, old_profile.name, None),
        _grant(pair.new.grants, new_profile.name, None),
    )
    if grants == (None, None) and pair.old.part == pair.new.part:
        return  # the access of the profile, or the whole, decides as before
    old, new = _rights(pair.old, old_profile), _rights(pair.new, new_profile)
    subject = f"{pair.new.name}, profile {new_profile.name}"
    if old is None or new is None:  # a part without grants of its own
        if old is not new:
            what = "follows its whole" if new is None else "no longer follows its whole"
            why = (
                "The grants on the whole decide from now on."
                if new is None
                else f"The grants on {pair.new.name} decide from now on, instead of those on the whole."
            )
            yield decision(subject, what, why, _CHECK)
        return
    yield from _compare(subject, old, new)


def _rights(class_: Class, profile: Profile) -> Rights | None:
    """Return what a profile may do with a class. None: the class is a part that follows its whole."""
    grant = _grant(class_.grants, profile.name, None)
    if grant is None:
        return None if class_.part else dict.fromkeys(profile.access.actions)
    return dict.fromkeys(grant.allow, grant.where)


def _field_rights(pair: ClassPair, old_profile: str, new_profile: str) -> Changes:
    """Yield changes of grants on attributes and roles, which narrow those on the class."""
    fields = [
        *((each.old.name, each.new.name) for each in pair.attributes),
        *((each.old.name, each.new.name) for each in pair.roles),
    ]
    for old_name, new_name in fields:
        old, new = (
            _grant(pair.old.grants, old_profile, old_name),
            _grant(pair.new.grants, new_profile, new_name),
        )
        before = _EVERYTHING if old is None else dict.fromkeys(old.allow, old.where)
        after = _EVERYTHING if new is None else dict.fromkeys(new.allow, new.where)
        relevant = {Action.READ, Action.CREATE, Action.EDIT}
        yield from _compare(
            f"{pair.new.name}.{new_name}, profile {new_profile}",
            {action: where for action, where in before.items() if action in relevant},
            {action: where for action, where in after.items() if action in relevant},
        )


def _user_rights(comparison: ModelComparison, old_profile: str, new_profile: str) -> Changes:
    """Yield changes of grants on the members and on their attributes."""
    before, after = comparison.old.user_grants, comparison.new.user_grants
    for field in (None, *USER_ATTRIBUTES):
        old, new = _grant(before, old_profile, field), _grant(after, new_profile, field)
        default: Rights = {} if field is None else {Action.READ: None}
        yield from _compare(
            f"{USER if field is None else f'{USER}.{field}'}, profile {new_profile}",
            default if old is None else dict.fromkeys(old.allow, old.where),
            default if new is None else dict.fromkeys(new.allow, new.where),
        )


def _grant(grants: Sequence[Grant], profile: str, field: str | None) -> Grant | None:
    return next((each for each in grants if (each.profile, each.field) == (profile, field)), None)


def _compare(subject: str, old: Rights, new: Rights) -> Changes:
    """Yield one decision with all actions that open, close or have another condition."""
    opened = [each.value for each in Action if each in new and each not in old]
    closed = [each.value for each in Action if each in old and each not in new]
    changed = [each.value for each in Action if each in old and each in new and old[each] != new[each]]
    conditions = [new[each] for each in Action if each in new and new[each] is not None]
    where = f' where "{conditions[0]}"' if conditions else ""
    parts = [
        f"may now {', '.join(opened)}{where}" if opened else "",
        f"may no longer {', '.join(closed)}" if closed else "",
        f"may {', '.join(changed)} only{where}" if changed and where else "",
        f"may {', '.join(changed)} all objects" if changed and not where else "",
    ]
    if what := "; ".join(filter(None, parts)):
        why = "Access opens." if not closed and (opened or not where) else "Access closes."
        if (opened and closed) or (changed and where and any(old[Action(each)] for each in changed)):
            why = "Access changes."
        yield decision(subject, what, why, _CHECK)


ACCESS_RULES = (_application, _profiles, _administrators, _narrower, _grants)
