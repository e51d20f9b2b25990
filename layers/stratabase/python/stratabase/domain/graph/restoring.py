"""An object that a request makes what it was at an instant, with its parts.

What it referred to then and is there no more is left out, which is worth a warning.
"""

from collections.abc import Iterator
from dataclasses import replace

from stratabase.domain.change import Gone
from stratabase.domain.checks import issues_of
from stratabase.domain.checks.draft import Draft
from stratabase.domain.command import Restore
from stratabase.domain.entity import Reference, State
from stratabase.domain.former_content import content, misfits
from stratabase.domain.graph.asker import Asker, called
from stratabase.domain.graph.graph import Graph
from stratabase.domain.graph.hidden_parts import comes_along, went_along
from stratabase.domain.graph.left_out import lose, tells, warn
from stratabase.domain.graph.names import MOST_RESTORED
from stratabase.domain.graph.node import Node
from stratabase.domain.graph.task import Ending, Releading, Restoring
from stratabase.domain.graph.wish import Wish
from stratabase.domain.issue import Issue, IssueType, Path
from stratabase.domain.member import Caller
from stratabase.domain.parts import ids_in
from stratabase.domain.platform import OWNED_BY, owned_as
from stratabase.domain.role_name import RoleName
from stratabase.domain.subject import Subject
from stratabase.domain.version_instant import exactly
from stratabase.model.attribute import Origin, Stored
from stratabase.model.class_ import Class
from stratabase.model.role import Role

ARGUMENT = "atVersion"
PLACE: Path = (ARGUMENT,)
"""The place of what is wrong with the version that is asked for."""


def restore(graph: Graph, task: Restoring) -> None:
    """Note an object with its former content; its parts come next, and its keys in the end."""
    snapshot, reference = graph.setting.snapshot, task.reference
    subject = Subject(graph.class_(reference.class_name), reference.id, path=task.place)
    moment = (reference, task.command.at)
    there, version = snapshot.entity(reference), snapshot.version(*moment)
    # Of what comes back with its whole, its whole tells whether it is seen.
    before = graph.before(reference) if reference == graph.setting.names.root else there
    gone = snapshot.gone(reference) if there is None and snapshot.knows(reference) else None
    is_hidden = reference == graph.setting.names.root and graph.hid(*moment)
    if version is None or is_hidden or (before is None and gone is None):
        if not snapshot.lacking:
            graph.issues.append(_no_version(subject, task.command, graph.setting.caller, task.place))
        return
    if before is None and reference != graph.setting.names.root and not graph.showed(*moment):
        subject = replace(subject, id=None)  # which it is, no message may tell
    node = graph.add(Node(subject, reference, before, {}, gone=gone))
    node.state = {
        **content(subject.class_, before, version.state),
        **_owner(graph, subject.class_, version.state, gone),
        **task.back,
    }
    _check(graph, node, task)
    for role in subject.class_.roles.values():
        if role.composition:
            _restore_parts(graph, node, role, version.state.get(role.name), task)
    graph.later.append(Releading(reference, task.command, version))


def relead(graph: Graph, task: Releading) -> None:
    """Ask an object's keys to lead where they did, if that is there."""
    node, kept = graph.nodes[task.reference], task.version.state
    for role in node.subject.class_.roles.values():
        id_ = kept.get(role.name) if role.holds else None
        if not role.holds or (node.before is not None and id_ == node.was(role.name)):
            continue
        asker = Asker(node.subject, role.name)
        if not tells(graph, node, role.name, task):
            graph.discreet.add(asker.place)
        is_unseen = comes_along(graph, node, task.command)
        if isinstance(id_, str) and not _is_there(graph, Reference(role.target, id_), is_unseen=is_unseen):
            lose(graph, task, asker, Reference(role.target, id_))
            id_ = None
        name = RoleName(task.reference.class_name, role.name)
        graph.keys[task.reference, name].own.append(Wish(id_ if isinstance(id_, str) else None, asker))


def _owner(graph: Graph, class_: Class, former: State, gone: Gone | None) -> State:
    """Return who owns an object that was deleted: its last owner, since no restoration undoes a hand-over."""
    if gone is None or OWNED_BY not in class_.attributes:
        return {}
    last = graph.setting.snapshot.version(gone.reference, gone.previous_start)
    return {} if last is None else owned_as(class_, former, last.state)


def _no_version(subject: Subject, command: Restore, caller: Caller, place: Path) -> Issue:
    moment = exactly(command.at, caller.formats, ARGUMENT)
    named = called(Reference(subject.class_.name, str(subject.id)))
    message = f"there is no version of {named} as of {moment}"
    return subject.issue(IssueType.ENTITY_NOT_FOUND, message, *place)


def _check(graph: Graph, node: Node, task: Restoring) -> None:
    """Note what is wrong with values that come back, by the rules of today."""
    class_ = node.subject.class_
    for name in misfits(class_, node.state):
        text = f"{class_.name}.{name} has another type by now, and cannot have the value that it had then"
        if tells(graph, node, name, task):
            warn(graph, task, node.subject.attribute_issue(IssueType.DATA_TYPE, text, name))
        node.state[name] = None
    changed: State = {
        name: node.state.get(name)
        for name, attribute in class_.attributes.items()
        if attribute.origin is Origin.NATIVE and node.state.get(name) != node.was(name)
    }
    draft = Draft(node.subject, node.before, node.state, changed, formats=graph.setting.caller.formats)
    for issue in issues_of(draft):
        is_open = all(tells(graph, node, name, task) for name in issue.attribute_names)
        graph.issues.append(issue if is_open else _discreet(issue))


def _discreet(issue: Issue) -> Issue:
    """Return an issue of a value that its reader may write, and not read."""
    names = ", ".join(f"{issue.entity_name}.{name}" for name in issue.attribute_names)
    return replace(issue, message=f"{names} cannot be by the rules of today what it was then")


def _restore_parts(graph: Graph, node: Node, role: Role, kept: Stored, task: Restoring) -> None:
    """Let an object have the parts that it had then, and no others."""
    asker, now = Asker(node.subject, role.name), ids_in(node.was(role.name))
    place = node.asked[role.name] = asker.place
    if _are_too_many(graph, asker, ids_in(kept)):
        return
    left = [id_ for id_ in now if graph.hides(Reference(role.target, id_))]
    there = [id_ for id_ in ids_in(kept) if id_ in left or _returns(graph, node, asker, id_, task)]
    there += (id_ for id_ in left if id_ not in there)
    if left and {*there} == {*now}:
        there = list(now)
    if not role.many and len(there) > 1:
        graph.issues.append(asker.cardinality(f"there can be one {role.target} only", place))
    node.state[role.name] = (there or None) if role.many else (there[-1] if there else None)
    graph.todo += (Ending(Reference(role.target, id_), place) for id_ in now if id_ not in there)
    if graph.class_(role.target).versioned:
        graph.todo += _parts(node, role, [id_ for id_ in there if id_ not in left], task)


def _are_too_many(graph: Graph, asker: Asker, ids: list[str]) -> bool:
    """Return whether there are more parts than a request restores, which is told once."""
    before = graph.restored
    graph.restored += len(ids)
    if before <= MOST_RESTORED < graph.restored:
        text = f"the version has more than {MOST_RESTORED:,} parts, and no more are restored at once"
        graph.issues.append(asker.issue(IssueType.MALFORMED_REQUEST, text, PLACE))
    return graph.restored > MOST_RESTORED


def _returns(graph: Graph, node: Node, asker: Asker, id_: str, task: Restoring) -> bool:
    """Return whether an object has a part that it had; one that cannot come back is told, if it is seen."""
    role = node.subject.class_.roles[asker.role]
    reference, is_part = Reference(role.target, id_), id_ in ids_in(node.was(role.name))
    is_passed_over = (
        not is_part and graph.hid(reference, task.command.at) and not went_along(graph, node, reference)
    )
    if not is_passed_over and _comes_back(graph, reference, task, is_part=is_part):
        return True
    lose(graph, task, asker, reference)
    return False


def _parts(node: Node, role: Role, ids: list[str], task: Restoring) -> Iterator[Restoring]:
    back: State = {str(role.opposite): node.reference.id}
    for number, id_ in enumerate(ids):
        place = (*node.asked[role.name], number)
        yield Restoring(Reference(role.target, id_), task.command, place, back)


def _comes_back(graph: Graph, reference: Reference, task: Restoring, *, is_part: bool) -> bool:
    """Return whether a part can be there again; one that keeps no versions only if it still is."""
    if not graph.class_(reference.class_name).versioned:
        return is_part
    snapshot = graph.setting.snapshot
    version = snapshot.version(reference, task.command.at)
    is_remembered = is_part or snapshot.gone(reference) is not None
    is_lost = version is not None and not is_remembered and snapshot.knows_gone(reference)
    if is_lost and snapshot.entity(reference) is not None:  # it is there, but its whole does not list it
        graph.unsettled |= {task.reference: None, graph.setting.names.root: None}
    return version is not None and is_remembered


def _is_there(graph: Graph, reference: Reference, *, is_unseen: bool) -> bool:
    """Return whether a key may lead to an object when the request is done: to any, if it is itself unseen."""
    if reference in graph.nodes:
        return not graph.is_ended(reference)
    there = graph.setting.snapshot.entity(reference) if is_unseen else graph.before(reference)
    return there is not None
