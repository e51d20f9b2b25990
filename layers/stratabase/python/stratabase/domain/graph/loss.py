"""Where a request says what takes something away from an object's role."""

from collections.abc import Mapping
from functools import cached_property

from stratabase.domain.entity import Reference
from stratabase.domain.graph.graph import Graph
from stratabase.domain.graph.piece import ROOT
from stratabase.domain.issue import Path
from stratabase.domain.role_name import RoleName
from stratabase.domain.way import opposite_name

_Places = Mapping[tuple[RoleName, str], Path]
"""By a role and the id of its owner."""


class Losses:
    """What a request takes away, each thing looked for once, however many objects lose something."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def place(self, reference: Reference, name: RoleName) -> Path:
        """Return where an object's role is spoken of, or else where what it led to ends or moves."""
        node = self._graph.nodes.get(reference)
        if node is not None and name.role_name in node.asked:
            return node.asked[name.role_name]
        owned = (name, reference.id)
        target = self._graph.role(name).target
        return self._moves.get(owned) or self._cuts.get(owned) or self._ends.get(target) or ROOT

    @cached_property
    def _moves(self) -> _Places:
        """Where keys that led to an object are asked to lead elsewhere."""
        found: dict[tuple[RoleName, str], Path] = {}
        for (holder, key), wishes in self._graph.keys.items():
            node, back = self._graph.nodes.get(holder), opposite_name(self._graph.role(key))
            was = None if node is None else node.was(key.role_name)
            if back is not None and isinstance(was, str):
                found.setdefault((back, was), wishes.last.asker.place)
        return found

    @cached_property
    def _cuts(self) -> _Places:
        """Where links of an object are asked to end."""
        found: dict[tuple[RoleName, str], Path] = {}
        for tie, wishes in self._graph.links.items():
            for asker in wishes.removing[:1]:
                found.setdefault((tie.role, tie.owner), asker.place)
                back = opposite_name(self._graph.role(tie.role))
                if back is not None:
                    found.setdefault((back, tie.other), asker.place)
        return found

    @cached_property
    def _ends(self) -> Mapping[str, Path]:
        """Where the first object of a class ends."""
        found: dict[str, Path] = {}
        for node in self._graph.nodes.values():
            if node.ended:
                found.setdefault(node.reference.class_name, node.subject.path)
        return found
