"""Rules against cycles: of derived attributes, and of required roles or wholes.

A derived attribute can't depend on itself. A class can't require that one of its objects exists before the
first one is created. Both rules look for cycles in a graph.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from graphql.language import Node

from stratabase.core.model.model import ClassKind
from stratabase.core.model.reading.draft.errors import ModelError, error_at
from stratabase.core.model.reading.draft.model_draft import ClassDraft, FieldDraft, ModelDraft
from stratabase.core.model.reading.draft.resolution import DraftSymbols, resolve_path
from stratabase.values.cel.environment import Path
from stratabase.values.cel.expression import check_expression
from stratabase.values.cel.scope import Scope
from stratabase.values.cel.syntax import InvalidExpression
from stratabase.values.messages import and_list

T = TypeVar("T")


def find_cycles(graph: Mapping[T, Iterable[T]]) -> Iterator[list[T]]:
    """Yield cycles of a graph, each as a list of its nodes in order, without the first node again.

    For each start, the cycle is the shortest one. A node is in one cycle at most.
    """
    visited: set[T] = set()
    for start in graph:
        if start not in visited and (cycle := _shortest_cycle(graph, start)):
            visited.update(cycle)
            yield cycle


def _shortest_cycle(graph: Mapping[T, Iterable[T]], start: T) -> list[T]:
    predecessors: dict[T, T] = {}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for after in graph.get(node, ()):
            if after == start:
                return _trace_back(predecessors, start, node)
            if after not in predecessors:
                predecessors[after] = node
                queue.append(after)
    return []


def _trace_back(predecessors: Mapping[T, T], start: T, node: T) -> list[T]:
    cycle = [node]
    while cycle[-1] != start:
        cycle.append(predecessors[cycle[-1]])
    return cycle[::-1]


def check_circular_derivation(draft: ModelDraft) -> Iterator[ModelError]:
    """Yield an error for each cycle of derived attributes, at the first attribute of the cycle."""
    names = DraftSymbols(draft)
    derived = {(field.owner, field.name): field for field in draft.fields if field.is_derived}
    dependencies = {name: [*_attributes_used(draft, field, names)] for name, field in derived.items()}
    for cycle in find_cycles(dependencies):
        chain = " -> ".join(".".join(name) for name in [*cycle, cycle[0]])
        field = derived[cycle[0]]
        use = field.directive("derived")
        assert use is not None
        place = use.node_of("path" if "path" in use.written else "expression")
        yield error_at(place, f"{field.full_name} depends on itself: {chain}.")


def _attributes_used(draft: ModelDraft, field: FieldDraft, names: DraftSymbols) -> Iterator[tuple[str, str]]:
    """Yield the attributes that a derived attribute depends on, as pairs (class, attribute)."""
    for path in _paths_of(field, Scope(names, field.owner)):
        resolved = resolve_path(draft, field.owner, path)
        if resolved.type:
            yield resolved.steps[-1]


def _paths_of(field: FieldDraft, scope: Scope) -> Iterable[Path]:
    use = field.directive("derived")
    assert use is not None
    path = [tuple(use["path"].split("."))] if use["path"] else []
    return [*path, *_expression_paths(use["expression"], scope)] if use["expression"] else path


def _expression_paths(text: str, scope: Scope) -> Iterable[Path]:
    """Return the paths in an expression, sorted so that messages don't vary; none if it can't be parsed."""
    try:
        return sorted(check_expression(text, scope).expression.paths)
    except InvalidExpression:
        return ()


def check_creation(draft: ModelDraft) -> Iterator[ModelError]:
    """Yield an error for each cycle of classes whose objects can't be created."""
    creatable, possible = _possible_classes(draft)
    impossible = [class_ for name, class_ in draft.classes.items() if name not in possible]
    needs = {class_.name: _obstacles(draft, class_, creatable, possible) for class_ in impossible}
    for cycle in find_cycles(needs):
        first, *others = [*cycle[1:], cycle[0]]
        reason = (
            _parts_only_message(cycle)
            if creatable.issuperset(cycle)
            else _needs_itself_message(cycle[0], first, others)
        )
        yield error_at(needs[cycle[0]][first], f"No {cycle[0]} can ever be created: {reason}")


def _needs_itself_message(name: str, first: str, others: Sequence[str]) -> str:
    """Return why no object can be created in a cycle of required roles."""
    chain = "".join(f", which needs {other}" for other in others)
    return f"{name} needs {first}{chain}. Make one of the roles optional."


def _parts_only_message(cycle: Sequence[str]) -> str:
    """Return why no object can be created in a cycle of classes that are parts only of each other."""
    if len(cycle) == 1:
        reason = f"it is a part only of {cycle[0]}, so the first {cycle[0]} would have no whole"
    else:
        pairs = zip(cycle, [*cycle[1:], cycle[0]], strict=True)
        chain = and_list(f"{part} is a part only of {whole}" for part, whole in pairs)
        reason = f"{chain}, so the first one would have no whole"
    return f"{reason}. Make {cycle[0]} a part of another class too, or remove @composition from a role."


def _possible_classes(draft: ModelDraft) -> tuple[set[str], set[str]]:
    """Return the names of the creatable classes and of the possible ones.

    A class is creatable if its required roles can be met. It is possible if, in addition, its objects can
    have a whole where they need one. Both sets grow until nothing changes.
    """
    creatable = {name for name, class_ in draft.classes.items() if class_.kind is not ClassKind.ORDINARY}
    possible = set(creatable)
    # Each pass can make further classes possible. Both sets only grow, so the loop ends.
    size = -1
    while size != len(creatable) + len(possible):
        size = len(creatable) + len(possible)
        creatable |= {
            name
            for name, class_ in draft.classes.items()
            if not _missing_requirements(class_, creatable, possible)
        }
        possible |= {name for name in creatable if _can_have_whole(draft, name, possible)}
    return creatable, possible


def _can_have_whole(draft: ModelDraft, name: str, possible: set[str]) -> bool:
    whole_roles = draft.whole_roles.get(name, ())
    return not whole_roles or any(whole_role.composition.owner in possible for whole_role in whole_roles)


def _missing_requirements(class_: ClassDraft, creatable: set[str], possible: set[str]) -> dict[str, Node]:
    """Return the required targets that don't exist yet, each with the node of the role that requires it."""
    required = [role for role in class_.roles.values() if role.required and not role.is_user_role]
    return {
        role.target: role.type_node
        for role in required
        if role.target_class not in (creatable if role.is_composition else possible)
    }


def _obstacles(
    draft: ModelDraft, class_: ClassDraft, creatable: set[str], possible: set[str]
) -> Mapping[str, Node]:
    """Return what prevents the objects of a class: its missing requirements, or else its impossible wholes.

    Keys are class names; values are the nodes of the roles.
    """
    if class_.name in creatable:
        return {
            whole_role.composition.owner: whole_role.composition.type_node
            for whole_role in draft.whole_roles.get(class_.name, ())
        }
    return _missing_requirements(class_, creatable, possible)
