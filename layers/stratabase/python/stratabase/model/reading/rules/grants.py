"""A grant is for a profile of the model, once, and allows what makes sense."""

from collections.abc import Iterable, Iterator

from stratabase.model.class_ import Action
from stratabase.model.reading.manuscript import Manuscript, Member, Use, Written
from stratabase.model.reading.mistake import Mistake, listed, mistake, shown
from stratabase.model.reading.rules.texts import empty

_ALL = tuple(action.value for action in Action)


def grants(manuscript: Manuscript) -> Iterator[Mistake]:
    """Check every @grant by itself, on classes and on their attributes and roles."""
    for one in manuscript.classes.values():
        for holder in (one, *one.fields):
            yield from _each(manuscript, list(holder.all("grant")))
        for member in one.fields:
            yield from _narrowing(manuscript, one, member)


def _each(manuscript: Manuscript, uses: Iterable[Use]) -> Iterator[Mistake]:
    seen: set[str] = set()
    for use in uses:
        yield from _profile(manuscript, use, seen)
        yield from _actions(use)
        yield from empty(use, "where")
        seen.add(use["profile"])


def _profile(manuscript: Manuscript, use: Use, seen: set[str]) -> Iterator[Mistake]:
    name, place = use["profile"], use.at("profile")
    profiles = {profile["name"]: profile for profile in manuscript.all("profile")}
    if name in seen:
        yield mistake(place, f'There is a @grant for "{shown(name)}" here already.')
    elif name not in profiles and not manuscript.schema_unread:
        there = f"it has {listed(profiles)}" if profiles else 'write @profile(name: "…") beside @application'
        text = f'The model has no profile "{shown(name)}"; {there}.'
        yield mistake(place, text, word=name, among=profiles)
    elif name in profiles and profiles[name]["administrator"]:
        yield mistake(place, f"{shown(name)} is an administrator's profile, which has full access anyway.")


def _actions(use: Use) -> Iterator[Mistake]:
    seen: set[str] = set()
    for action, node in use.each("allow"):
        if action in seen:
            yield mistake(node, f"{action} stands here already.")
        seen.add(action)


def _narrowing(manuscript: Manuscript, one: Written, member: Member) -> Iterator[Mistake]:
    """Check the grants of an attribute or role against those of its class."""
    allowed = {use["profile"]: use["allow"] if use.sound else _ALL for use in one.all("grant")}
    for use in member.all("grant"):
        profile = use["profile"]
        if profile not in allowed and not manuscript.is_part(one.name):
            text = f'{one.name} has no @grant for "{shown(profile)}", so there is nothing to narrow.'
            yield mistake(use.at("profile"), text)
        for action, node in use.each("allow"):
            if action == "DELETE" and member.type:
                yield mistake(node, "DELETE is for objects; an attribute is cleared by EDIT.")
            elif action not in allowed.get(profile, (action,)):
                text = f'{one.name} does not allow {action} to "{shown(profile)}", so {member.name} cannot.'
                yield mistake(node, text)
