"""Why the store refuses what was decided, told as issues."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from stratabase.domain.change import Bereft, Breach, Broken, Coupled, Missing, Taken, TooLarge
from stratabase.domain.entity import Reference
from stratabase.domain.graph.asker import Asker, called
from stratabase.domain.graph.decision import Decision
from stratabase.domain.graph.graph import Graph
from stratabase.domain.graph.loss import place_of_loss
from stratabase.domain.graph.wish import Wish
from stratabase.domain.issue import Issue, IssueType
from stratabase.domain.subject import Subject
from stratabase.domain.writing import taken


def is_outdated(decision: Decision, broken: Broken) -> bool:
    """Return whether a decision believes what is not true any more, so that it is to be made again."""
    return any(_is_news(decision.graph, breach) for breach in broken.breaches)


def explained(decision: Decision, refusal: Taken | Broken | TooLarge) -> list[Issue]:
    """Return the issues of a refusal."""
    return list(_EXPLAINED[type(refusal)](decision.graph, refusal))


def _is_news(graph: Graph, breach: Breach) -> bool:
    if isinstance(breach, Missing):
        return breach.reference in graph.nodes or breach.reference not in graph.named
    return isinstance(breach, Coupled) and not [*_couplers(graph, breach)]


def _taken(graph: Graph, refusal: Taken) -> Iterator[Issue]:
    for reference, unique in refusal.taken:
        node = graph.nodes[reference]
        yield taken(node.subject, unique, node.state)


def _too_large(graph: Graph, refusal: TooLarge) -> Iterator[Issue]:
    node = graph.nodes[refusal.reference or graph.setting.names.root]
    yield node.subject.issue(IssueType.MALFORMED_REQUEST, str(refusal), *node.subject.path)


def _broken(graph: Graph, refusal: Broken) -> Iterator[Issue]:
    for breach in refusal.breaches:
        yield from _BROKEN[type(breach)](graph, breach)


def _missing(graph: Graph, breach: Missing) -> Iterator[Issue]:
    return (asker.not_found(breach.reference) for asker in graph.named.get(breach.reference, ()))


def _bereft(graph: Graph, breach: Bereft) -> Iterator[Issue]:
    reference, name = breach
    if graph.role(name).holds:
        yield _needed(graph, breach)
        return
    asker = Asker(Subject(graph.class_(reference.class_name), reference.id), name.role_name)
    place = place_of_loss(graph, reference, name)
    if not graph.is_blamed(place):
        text = f"{called(reference)} would lead to none any more, and must lead to at least one"
        yield asker.cardinality(text, place)


def _needed(graph: Graph, breach: Bereft) -> Issue:
    """Return the issue of an object that is deleted while others must lead to it."""
    reference, name = breach
    text = f"a {name.class_name} leads to {called(reference)}, and must: so that cannot be deleted"
    asker = Asker(Subject(graph.class_(name.class_name)), name.role_name)
    return asker.cardinality(text, graph.nodes[reference].subject.path)


def _coupled(graph: Graph, breach: Coupled) -> Iterator[Issue]:
    target = Reference(graph.role(breach.role).target, breach.target)
    couplers = [*_couplers(graph, breach)]
    if any(graph.is_blamed(wish.asker.place) for wish in couplers):
        return
    for wish in couplers:
        text = f"another {breach.role.class_name} leads to {called(target)} already, and one only can"
        yield wish.asker.cardinality(text)


def _couplers(graph: Graph, breach: Coupled) -> Iterator[Wish]:
    """Yield who asks by its own key for a partner that is taken; other ways to it know who has it."""
    for (_, name), wishes in graph.keys.items():
        if name == breach.role:
            yield from (wish for wish in wishes.own if wish.id == breach.target)


_EXPLAINED: Mapping[type[Exception], Callable[[Graph, Any], Iterator[Issue]]] = {
    Taken: _taken,
    Broken: _broken,
    TooLarge: _too_large,
}
_BROKEN: Mapping[type[Breach], Callable[[Graph, Any], Iterator[Issue]]] = {
    Missing: _missing,
    Bereft: _bereft,
    Coupled: _coupled,
}
