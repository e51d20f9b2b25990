"""What a command needs to be allowed: by what it asks for, whatever comes of that."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from stratabase.domain.access import Access
from stratabase.domain.access.demand import Demand
from stratabase.domain.access.reach import wholes
from stratabase.domain.command import AnyCommand, Delete, Restore
from stratabase.domain.entity import Reference
from stratabase.domain.graph.asker import Asker
from stratabase.domain.graph.graph import Graph
from stratabase.domain.graph.hidden_parts import comes_along
from stratabase.domain.graph.locks import told
from stratabase.domain.graph.node import Node
from stratabase.domain.graph.piece_demands import of_pieces
from stratabase.domain.graph.restored_demands import (
    of_any_restoration,
    of_restored,
)
from stratabase.domain.graph.unseen_demands import of_all_apart
from stratabase.domain.subject import Subject
from stratabase.domain.way import opposite_name
from stratabase.model.class_ import Action


def demands(graph: Graph, access: Access, command: AnyCommand) -> list[Demand]:
    """Return the demands, each once, in the order of the request."""
    if isinstance(command, Restore) and graph.setting.snapshot.lacking:
        # What that asks for, only what was and what is can tell.
        return [*of_any_restoration(graph, access)]
    found: dict[object, Demand] = {}
    asked = chain(_of_command(graph, access, command), _of_keys(graph, access, command), _of_links(graph))
    for demand in of_all_apart(asked):
        found.setdefault(demand.key, demand)
    return list(found.values())


def _of_command(graph: Graph, access: Access, command: AnyCommand) -> Iterator[Demand]:
    if isinstance(command, Delete):
        root = graph.setting.names.root
        subject = Subject(graph.class_(root.class_name), root.id, path=command.place)
        yield Demand(Action.DELETE, subject, root, command.place)
        return
    if isinstance(command, Restore):
        yield from of_restored(graph, access, command)
    else:
        yield from of_pieces(graph, access, command)
    for node in graph.nodes.values():
        if (
            node.ended
            and not access.follows(node.reference.class_name)
            and not _goes_with_its_whole(graph, node)
        ):
            yield Demand(Action.DELETE, told(graph, node), node.reference, node.subject.path)


def _goes_with_its_whole(graph: Graph, node: Node) -> bool:
    whole = _whole(graph, node.reference)
    return whole is not None and graph.is_ended(whole)


def _of_keys(graph: Graph, access: Access, command: AnyCommand) -> Iterator[Demand]:
    """Yield the demands of keys: who holds one is changed, and what it led to and shall lead to is led to."""
    for (holder, name), wishes in graph.keys.items():
        node, asker = graph.nodes.get(holder), wishes.first.asker
        if isinstance(command, Restore) and node is not None and comes_along(graph, node, command):
            continue
        was = None if node is None else node.was(name.role_name)
        if wishes.claims or any(wish.id == was for wish in wishes.releases):
            yield from _of_holder(graph, access, holder, asker)
            yield _of_role(graph, holder, name.role_name, asker)
        opposite = opposite_name(graph.role(name))
        if opposite is not None and wishes.own:
            is_told = not isinstance(command, Restore) or access.shows(*name)
            ends = dict.fromkeys((*(wish.id for wish in wishes.own), was))
            for end in (each for each in ends if isinstance(each, str)):
                demand = _of_role(graph, Reference(opposite.class_name, end), opposite.role_name, asker)
                # What it led to before is nothing that the request tells, nor must a message.
                is_named = is_told and end != was
                yield demand if is_named else demand._replace(subject=replace(demand.subject, id=None))


def _of_holder(graph: Graph, access: Access, holder: Reference, asker: Asker) -> Iterator[Demand]:
    """Yield the demand of changing an object, or the whole that it follows, from another's side."""
    at: Reference | None = holder
    while at is not None and access.follows(at.class_name):
        at = _whole(graph, at)
    if at is not None and not graph.is_new(at) and not graph.is_new(holder):
        yield Demand(Action.EDIT, _subject(graph, at, asker), at, asker.place)


def _of_links(graph: Graph) -> Iterator[Demand]:
    """Yield the demands of links: of the roles at both of their ends."""
    for tie, wishes in graph.links.items():
        asker, opposite = [*wishes.adding, *wishes.removing][0], opposite_name(graph.role(tie.role))
        yield _of_role(graph, Reference(tie.role.class_name, tie.owner), tie.role.role_name, asker)
        if opposite is not None:
            yield _of_role(graph, Reference(opposite.class_name, tie.other), opposite.role_name, asker)


def _of_role(graph: Graph, reference: Reference, role: str, asker: Asker) -> Demand:
    action = Action.CREATE if graph.is_new(reference) else Action.EDIT
    return Demand(action, _subject(graph, reference, asker), reference, asker.place, role)


def _subject(graph: Graph, reference: Reference, asker: Asker) -> Subject:
    id_ = None if graph.is_new(reference) else reference.id
    return Subject(graph.class_(reference.class_name), id_, path=asker.place)


def _whole(graph: Graph, part: Reference) -> Reference | None:
    """Return what an object is a part of, as far as is known."""
    node = graph.nodes.get(part)
    before = graph.setting.snapshot.entity(part) if node is None else node.before
    state = node.state if node is not None and node.new else {} if before is None else before.state
    for role in wholes(graph.class_(part.class_name)):
        id_ = state.get(role.name)
        if isinstance(id_, str):
            return Reference(role.target, id_)
    return None
