"""The objects on one level of an answer of which the same is wanted."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from stratabase.domain.entity import Entity, Reference
from stratabase.domain.fetch import Face, Fetch, Node


class Branch:
    """Objects of one class, each once however often the answer shows it, with their nodes."""

    def __init__(self, fetch: Fetch, face: Face) -> None:
        self.fetch = fetch
        self._face = face
        self.entities: dict[Reference, Entity] = {}
        self.times: Counter[Reference] = Counter()
        """How often the answer shows each."""
        self._nodes: dict[Reference, dict[str, Any]] = {}

    def node(self, entity: Entity, times: int = 1) -> Node:
        """Return the node of an object, which the answer shows so many times more."""
        reference = entity.reference
        self.times[reference] += times
        if reference not in self._nodes:
            self.entities[reference] = entity
            self._nodes[reference] = dict(self._face(entity))
        return self._nodes[reference]

    def nodes(self, entities: Iterable[Entity], times: int = 1) -> list[Node]:
        """Return the nodes of several objects."""
        return [self.node(entity, times) for entity in entities]

    def put(self, reference: Reference, place: str, value: Any) -> None:
        """Put into an object's node what a role leads to."""
        self._nodes[reference][place] = value
