"""The locks of what a request writes: each must admit the caller."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from stratabase.domain.change import OnLink, Touch
from stratabase.domain.entity import Reference
from stratabase.domain.graph.asker import Asker
from stratabase.domain.graph.graph import Graph
from stratabase.domain.graph.node import Node
from stratabase.domain.graph.wish import Tie
from stratabase.domain.held import held
from stratabase.domain.issue import Issue, IssueType
from stratabase.domain.lock import admits
from stratabase.domain.subject import Subject


def check_locks(graph: Graph) -> None:
    """Note each object that another has locked, of those that the request names to write them, or changes."""
    named = frozenset(graph.setting.names.there)
    for node in graph.nodes.values():
        if node.reference in named or node.is_written:
            graph.issues += _held(graph, node)


def told(graph: Graph, node: Node) -> Subject:
    """Return what a message is about; without its id, where that would be news."""
    return node.subject if graph.shows(node.reference) else replace(node.subject, id=None)


def touches(graph: Graph, on_links: Iterable[OnLink], *, relying: bool) -> Iterator[Touch]:
    """Yield the objects that the request names only to write others through them, which it does.

    `relying`: it relies on the version of the one that it is on.
    """
    passed = _on_the_way(graph, on_links) & {*graph.setting.names.there}
    for node in graph.nodes.values():
        if node.before is not None and not node.is_written and node.reference in passed:
            yield Touch(node.before, relying and node.reference == graph.setting.names.root)


def _held(graph: Graph, node: Node) -> Iterator[Issue]:
    caller, lock = graph.setting.caller, None if node.before is None else node.before.lock
    if lock is not None and not admits(lock, caller.id, graph.setting.now):
        yield held(IssueType.ENTITY_LOCK_PERSIST, told(graph, node), lock, caller.formats)


def _on_the_way(graph: Graph, on_links: Iterable[OnLink]) -> frozenset[Reference]:
    """Return what asks for something that is written, and the wholes of that and of what is written."""
    written = [node.reference for node in graph.nodes.values() if node.is_written]
    found: set[Reference] = set()
    for reference in (*_asking(graph, on_links), *filter(None, (_whole(graph, each) for each in written))):
        at: Reference | None = reference
        while at is not None and at not in found:
            found.add(at)
            at = _whole(graph, at)
    return frozenset(found)


def _asking(graph: Graph, on_links: Iterable[OnLink]) -> Iterator[Reference]:
    """Yield the objects of which a role is spoken where links or the keys of others change."""
    for asker in (*_of_links(graph, on_links), *_of_keys(graph)):
        if asker.subject.id is not None:
            yield Reference(asker.subject.class_.name, asker.subject.id)


def _of_links(graph: Graph, on_links: Iterable[OnLink]) -> Iterator[Asker]:
    for link in on_links:
        wishes = graph.links[Tie(link.role, link.owner, link.other)]
        yield from (*wishes.adding, *wishes.removing)


def _of_keys(graph: Graph) -> Iterator[Asker]:
    for (holder, _), wishes in graph.keys.items():
        if holder in graph.nodes and graph.nodes[holder].is_written:
            yield from (wish.asker for wish in (*wishes.releases, *wishes.claims, *wishes.own))


def _whole(graph: Graph, reference: Reference) -> Reference | None:
    """Return what an object of the request is a part of."""
    node = graph.nodes.get(reference)
    if node is None or not node.subject.class_.part:
        return None
    roles = (role for role in node.subject.class_.roles.values() if role.whole)
    found = ((role.target, node.was(role.name)) for role in roles)
    return next((Reference(target, str(id_)) for target, id_ in found if id_ is not None), None)
