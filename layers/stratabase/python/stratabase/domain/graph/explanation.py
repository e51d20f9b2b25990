"""Why the store refuses what was decided, told as issues."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from stratabase.domain.change import (
    Bereft,
    Breach,
    Broken,
    Coupled,
    Held,
    Missing,
    NotBuilt,
    Taken,
    TooLarge,
    Unbuilt,
)
from stratabase.domain.entity import Reference
from stratabase.domain.graph.asker import Asker, called
from stratabase.domain.graph.decision import Decision
from stratabase.domain.graph.graph import Graph
from stratabase.domain.graph.locks import told
from stratabase.domain.graph.loss import Losses
from stratabase.domain.graph.wish import Wish
from stratabase.domain.held import held
from stratabase.domain.issue import Issue, IssueType
from stratabase.domain.role_name import RoleName
from stratabase.domain.subject import Subject
from stratabase.domain.writing import not_built, taken

Couplers = Mapping[tuple[RoleName, str | None], Sequence[Wish]]
"""Wishes of keys, by the role and what it shall lead to."""


Holders = Mapping[Bereft, Reference]
"""Of those that must lead to what is deleted, one that may be named."""
_NOBODY: Holders = MappingProxyType({})


class _Traces(NamedTuple):
    """Where a request asks for what is refused; found once for all that is."""

    couplers: Couplers
    losses: Losses
    holders: Holders


def is_outdated(decision: Decision, broken: Broken) -> bool:
    """Return whether a decision believes what is not true any more, so that it is to be made again."""
    couplers = _couplers(decision.graph)
    return any(_is_news(decision.graph, couplers, breach) for breach in broken.breaches)


def explained(
    decision: Decision, refusal: Held | Taken | NotBuilt | Broken | TooLarge, holders: Holders = _NOBODY
) -> list[Issue]:
    """Return the issues of a refusal."""
    if isinstance(refusal, Broken):
        return list(_broken(decision.graph, refusal, holders))
    return list(_EXPLAINED[type(refusal)](decision.graph, refusal))


def _is_news(graph: Graph, couplers: Couplers, breach: Breach) -> bool:
    if isinstance(breach, Missing):
        return breach.reference in graph.nodes or breach.reference not in graph.named
    return isinstance(breach, Coupled) and (breach.role, breach.target) not in couplers


def _held(graph: Graph, refusal: Held) -> Iterator[Issue]:
    for reference, lock in refusal.held:
        subject, formats = told(graph, graph.nodes[reference]), graph.setting.caller.formats
        yield held(IssueType.ENTITY_LOCK_PERSIST, subject, lock, formats)


def _taken(graph: Graph, refusal: Taken) -> Iterator[Issue]:
    for reference, unique in refusal.taken:
        node = graph.nodes[reference]
        formats, access = graph.setting.caller.formats, graph.setting.access
        yield taken(node.subject, unique, node.state, formats, access)


def _not_built(graph: Graph, refusal: NotBuilt) -> Iterator[Issue]:
    return (not_built(graph.nodes[reference].subject, unique) for reference, unique in refusal.unbuilt)


def _too_large(graph: Graph, refusal: TooLarge) -> Iterator[Issue]:
    node = graph.nodes[refusal.reference or graph.setting.names.root]
    message = f"{refusal}{_advice(graph, refusal)}"
    yield node.subject.issue(IssueType.MALFORMED_REQUEST, message, *node.subject.path)


def _advice(graph: Graph, refusal: TooLarge) -> str:
    """Return how to write less at once, if that is of a role that the caller may know of."""
    if refusal.cause is None:
        return ""
    role, most = refusal.cause
    access = graph.setting.access
    if access is not None and not access.leads(role.class_name, graph.role(role)):
        return ""
    return f"; of {role}, add or take away at most {most} at a time"


def _broken(graph: Graph, refusal: Broken, holders: Holders) -> Iterator[Issue]:
    traces = _Traces(_couplers(graph), Losses(graph), holders)
    for breach in refusal.breaches:
        yield from _BROKEN[type(breach)](graph, breach, traces)


def _missing(graph: Graph, breach: Missing, _: _Traces) -> Iterator[Issue]:
    reference = breach.reference
    askers = graph.named.get(reference, ())
    return (asker.not_found(reference) for asker in askers if (reference, asker.place) not in graph.missed)


def _bereft(graph: Graph, breach: Bereft, traces: _Traces) -> Iterator[Issue]:
    reference, name = breach
    if graph.role(name).holds:
        yield _needed(graph, breach, traces.holders.get(breach))
        return
    id_ = reference.id if graph.shows(reference) else None
    asker = Asker(Subject(graph.class_(reference.class_name), id_), name.role_name)
    place = traces.losses.place(reference, name)
    if not graph.is_blamed(place):
        few = "at least one" if graph.role(name).many else "one"
        text = f"{_named(graph, reference)} would lead to none any more, and must lead to {few}"
        yield asker.cardinality(text, place)


def _named(graph: Graph, reference: Reference) -> str:
    """Return an object as a message names it; not by its id, where that would be news."""
    return called(reference) if graph.shows(reference) else f"another {reference.class_name}"


def _needed(graph: Graph, breach: Bereft, holder: Reference | None) -> Issue:
    """Return the issue of an object that is deleted while others must lead to it; `holder`: one of these."""
    reference, name = breach
    other = f"another {name.class_name}" if holder is None else called(holder)
    text = f"{other} requires {_named(graph, reference)}, which therefore cannot be deleted"
    subject = Subject(graph.class_(name.class_name), None if holder is None else holder.id)
    asker = Asker(subject, name.role_name)
    return asker.cardinality(text, graph.nodes[reference].subject.path)


def _unbuilt(graph: Graph, breach: Unbuilt, traces: _Traces) -> Iterator[Issue]:
    reference, name = breach
    class_ = graph.class_(reference.class_name)
    node = graph.nodes.get(reference)
    access = graph.setting.access
    is_told = access is None or access.shows(*name)
    role, argument = (
        (f"the required role {name}", f" {name.class_name}") if is_told else ("a required role", "")
    )
    text = (
        f"{role} is not built yet for older objects, so nobody can tell whether it would be left empty; "
        f"run `stratabase reindex{argument}`"
    )
    if node is not None and node.ended:
        subject, place = told(graph, node), node.subject.path
        yield subject.issue(IssueType.ROLE_CARDINALITY, f"{class_.name}: {text}", *place)
        return
    id_ = reference.id if graph.shows(reference) else None
    asker = Asker(Subject(class_, id_), name.role_name)
    place = traces.losses.place(reference, name)
    if not graph.is_blamed(place):
        yield asker.cardinality(text, place)


def _coupled(graph: Graph, breach: Coupled, traces: _Traces) -> Iterator[Issue]:
    target = Reference(graph.role(breach.role).target, breach.target)
    couplers = traces.couplers.get((breach.role, breach.target), ())
    if any(graph.is_blamed(wish.asker.place) for wish in couplers):
        return
    for wish in couplers:
        is_told = wish.asker.place not in graph.discreet
        named = called(target) if is_told else f"the {target.class_name} that it led to then"
        text = f"another {breach.role.class_name} leads to {named} already, and one only can"
        yield wish.asker.cardinality(text)


def _couplers(graph: Graph) -> Couplers:
    """Return who asks by its own key for a partner; other ways to one that is taken know who has it.

    But who must not see all objects may not know, whichever way is taken.
    """
    found: dict[tuple[RoleName, str | None], list[Wish]] = defaultdict(list)
    for (_, name), wishes in graph.keys.items():
        for wish in wishes.own if graph.setting.access is None else (*wishes.claims, *wishes.own):
            found[name, wish.id].append(wish)
    return found


_EXPLAINED: Mapping[type[Exception], Callable[[Graph, Any], Iterator[Issue]]] = {
    Held: _held,
    Taken: _taken,
    NotBuilt: _not_built,
    TooLarge: _too_large,
}
_BROKEN: Mapping[type[Breach], Callable[[Graph, Any, _Traces], Iterator[Issue]]] = {
    Missing: _missing,
    Bereft: _bereft,
    Coupled: _coupled,
    Unbuilt: _unbuilt,
}
