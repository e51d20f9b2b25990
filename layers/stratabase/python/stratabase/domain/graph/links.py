"""What is asked of links, from both sides, comes to those that begin and those that end."""

from collections.abc import Iterator

from stratabase.domain.change import Linking, OnLink, Unlinking
from stratabase.domain.entity import Reference
from stratabase.domain.graph.graph import Graph
from stratabase.domain.graph.wish import LinkWishes, Tie


def settle_links(graph: Graph) -> Iterator[OnLink]:
    """Yield the links that begin and end; what cannot be is an issue."""
    for tie, wishes in graph.links.items():
        if wishes.adding and wishes.removing:
            text = "the same link is added and removed, from its two sides; do one of the two"
            graph.issues.append(wishes.removing[0].contradiction(text))
        elif wishes.adding:
            yield from _begun(graph, tie, wishes)
        else:
            yield from _ended(graph, tie)


def _begun(graph: Graph, tie: Tie, wishes: LinkWishes) -> Iterator[OnLink]:
    (asker, *_), ends = wishes.adding, _ends(graph, tie)
    if gone := [end for end in ends if graph.is_ended(end)]:
        graph.issues.append(asker.ends(gone[-1]))
    elif any(map(graph.is_new, ends)) or not graph.setting.snapshot.joined(*tie):
        for end in ends:
            graph.name(graph.class_(tie.role.class_name), end, asker)
        yield Linking(*tie)
    else:
        for end in ends:
            graph.find(end, asker)


def _ended(graph: Graph, tie: Tie) -> Iterator[OnLink]:
    """Yield the end of a link, unless it ends by itself with what it joins."""
    if not any(map(graph.is_ended, _ends(graph, tie))) and graph.setting.snapshot.joined(*tie):
        yield Unlinking(*tie)


def _ends(graph: Graph, tie: Tie) -> tuple[Reference, Reference]:
    return Reference(tie.role.class_name, tie.owner), Reference(graph.role(tie.role).target, tie.other)
