"""Rules on `within` of `@profile`: a narrower profile may do nothing that a wider one may not do.

What the two may do is compared grant by grant. Where both have a condition, and the conditions differ, it is
not known which one allows more. Then `lint_narrower_profiles` warns.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from graphql.language import Node

from stratabase.core.model.model import Action, DefaultAccess, Model
from stratabase.core.model.reading.draft.errors import ModelError, error_at
from stratabase.core.model.reading.draft.model_draft import ClassDraft, DirectiveUse, FieldDraft, ModelDraft
from stratabase.core.model.reading.rules.cycles import find_cycles
from stratabase.values.messages import and_list
from stratabase.values.wording import shorten

_MAX_LISTED = 5
"""The maximum number of differences that a message lists."""
_OF_PROFILE = re.compile(r"caller\s*\.\s*profile")
"""Matches what makes a condition mean something else for another profile."""
_Rights = Mapping[str, frozenset[str | None]]
"""By permitted action: the conditions of which one must hold. None among them always holds."""


class _Excess(NamedTuple):
    """What a narrower profile may do, and a wider one may not, with a class, an attribute or a role."""

    subject: str
    actions: tuple[str, ...]
    is_certain: bool
    """Whether it is more for certain. If not, the conditions of the two can't be compared."""

    def __str__(self) -> str:
        return f"{and_list(self.actions)} {self.subject}"


class _Pair(NamedTuple):
    """A profile with one that it names as wider, and the place of that name."""

    narrower: DirectiveUse
    wider: DirectiveUse
    place: Node


def check_narrower_profiles(draft: ModelDraft) -> Iterator[ModelError]:
    """Check every `within`: the profiles exist, without a cycle, and may do what the narrower one may."""
    uses = {use["name"]: use for use in draft.directives("profile")}
    for use in uses.values():
        yield from _check_names(draft, use, uses)
    graph = {name: [each for each in use["within"] or () if each in uses] for name, use in uses.items()}
    for cycle in find_cycles(graph):
        if len(cycle) > 1:
            chain = " -> ".join(shorten(name) for name in [*cycle, cycle[0]])
            text = f"Profiles can't lie within each other: {chain}. Remove one within."
            yield error_at(uses[cycle[0]].node_of("within"), text)
    for pair in _pairs(draft):
        if pair.narrower["administrator"]:
            text = f"{shorten(pair.narrower['name'])} is an administrator profile, which may do everything. "
            yield error_at(pair.place, f'{text}"{shorten(pair.wider["name"])}" may not. Remove it.')
            continue
        found = [each for each in _excesses(draft, pair) if each.is_certain]
        if found:
            yield error_at(pair.place, _message(pair, found))


def lint_narrower_profiles(draft: ModelDraft, _model: Model) -> Iterator[ModelError]:
    """Yield a warning for each `within` whose profiles have conditions that can't be compared."""
    for pair in _pairs(draft):
        found = [each for each in _excesses(draft, pair) if not each.is_certain]
        if found:
            narrower, wider = shorten(pair.narrower["name"]), shorten(pair.wider["name"])
            yield error_at(
                pair.place,
                f"The grants of {narrower} and {wider} have different conditions for {_listed(found)}. Check "
                f"that {wider} may do all that {narrower} may do, or give both the same condition.",
            )


def _check_names(
    draft: ModelDraft, use: DirectiveUse, uses: Mapping[str, DirectiveUse]
) -> Iterator[ModelError]:
    seen: set[str] = set()
    for name, place in use.items_of("within"):
        if name == use["name"]:
            yield error_at(place, f'"{shorten(name)}" can\'t lie within itself. Remove it.')
        elif name in seen:
            yield error_at(place, f'"{shorten(name)}" is listed more than once. Remove one.')
        elif name not in uses and not draft.schema_unparsed:
            text = f'The model has no profile "{shorten(name)}". It has {and_list(uses)}.'
            yield error_at(place, text, word=name, among=uses)
        seen.add(name)


def _message(pair: _Pair, found: list[_Excess]) -> str:
    narrower, wider = shorten(pair.narrower["name"]), shorten(pair.wider["name"])
    return (
        f"{narrower} is within {wider}, but may do what {wider} may not: {_listed(found)}. Allow {wider} to "
        f"do this too, or remove it from {narrower}, or remove {wider} from within."
    )


def _listed(found: list[_Excess]) -> str:
    more = len(found) - _MAX_LISTED
    return "; ".join([*map(str, found[:_MAX_LISTED]), *([f"and {more} more"] if more > 0 else [])])


def _pairs(draft: ModelDraft) -> Iterator[_Pair]:
    """Yield each profile with each wider one that it names and that is limited, if both are valid."""
    uses = {use["name"]: use for use in draft.directives("profile")}
    for use in uses.values():
        for name, place in use.items_of("within"):
            wider = uses.get(name)
            if wider is None or wider is use or wider["administrator"]:
                continue
            if use.is_valid and wider.is_valid:
                yield _Pair(use, wider, place)


def _excesses(draft: ModelDraft, pair: _Pair) -> Iterator[_Excess]:
    """Yield what the narrower profile of a pair may do, and the wider one may not, class by class."""
    for class_ in draft.granted_classes:
        holders = (class_, *class_.fields)
        if not all(use.is_valid for holder in holders for use in holder.directives("grant")):
            continue
        rights = _rights(draft, class_, pair.narrower), _rights(draft, class_, pair.wider)
        yield from _compare(class_.name, *rights)
        for field in class_.fields:
            yield from _compare_fields(field, pair, *rights)


def _compare(subject: str, narrower: _Rights, wider: _Rights) -> Iterator[_Excess]:
    certain: list[str] = []
    uncertain: list[str] = []
    for action, conditions in narrower.items():
        others = wider.get(action)
        if others is None or (None in conditions and None not in others):
            certain.append(action)
        elif None not in others and not _comparable(conditions) <= others:
            uncertain.append(action)
    if certain:
        yield _Excess(subject, tuple(certain), is_certain=True)
    if uncertain:
        yield _Excess(subject, tuple(uncertain), is_certain=False)


def _comparable(conditions: frozenset[str | None]) -> frozenset[str | None]:
    """Return conditions in a form that equals no other one if they depend on the profile of the caller."""
    return frozenset(
        f"{each} for this profile" if each and _OF_PROFILE.search(each) else each for each in conditions
    )


def _compare_fields(field: FieldDraft, pair: _Pair, narrower: _Rights, wider: _Rights) -> Iterator[_Excess]:
    """Yield what the narrower profile may do with a field, beyond what it may do with the class."""
    own, other = _grant(field, pair.narrower), _grant(field, pair.wider)
    if other is None:
        return  # the class decides
    allowed = set(narrower) if own is None else {*own["allow"]} & set(narrower)
    # A grant that denies an action of the class is compared as one that never holds.
    certain = [each for each in allowed & set(wider) - {"DELETE"} if each not in other["allow"]]
    uncertain: list[str] = []
    for action in allowed & set(wider) & {*other["allow"]} - {"DELETE"}:
        own_where = None if own is None else own["where"]
        own_conditions = _comparable(frozenset({own_where} if own_where else narrower[action]))
        if other["where"] is None or own_conditions == {other["where"]}:
            continue
        is_limited = own_where is not None or None not in narrower[action]
        (uncertain if is_limited else certain).append(action)
    order = [each.value for each in Action]
    for actions, is_certain in ((certain, True), (uncertain, False)):
        if actions:
            subject = field.full_name
            yield _Excess(subject, tuple(sorted(actions, key=order.index)), is_certain=is_certain)


def _rights(draft: ModelDraft, class_: ClassDraft, profile: DirectiveUse) -> _Rights:
    """Return what a profile may do with a class. A part without a grant follows its wholes."""
    rights: dict[str, frozenset[str | None]] = {}
    # A part can have parts of its own class.
    followed, seen = [class_], {class_.name}
    while followed:
        each = followed.pop()
        grant = _grant(each, profile)
        wholes = {role.composition.owner for role in draft.whole_roles.get(each.name, ())}
        if grant is not None:
            found, where = grant["allow"], grant["where"]
        elif wholes:
            followed += [draft.classes[name] for name in sorted(wholes - seen)]
            seen |= wholes
            continue
        else:
            # No `access` of a profile covers the members.
            actions = () if each is draft.users else DefaultAccess(profile["access"]).actions
            found, where = [action.value for action in Action if action in actions], None
        for action in found:
            rights[action] = rights.get(action, frozenset()) | {where}
    return rights


def _grant(holder: ClassDraft | FieldDraft, profile: DirectiveUse) -> DirectiveUse | None:
    return next((use for use in holder.directives("grant") if use["profile"] == profile["name"]), None)
