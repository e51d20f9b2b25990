"""The objects on one level of an answer of which the same is wanted."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from stratabase.domain.objects.entity import Entity, Reference
from stratabase.domain.query.fetch import Fetch, Render, View
from stratabase.operations.deriving.deriving import Deriving


class Branch:
    """Objects of one class, each once however often the answer shows it, with their views."""

    def __init__(self, fetch: Fetch, face: Render) -> None:
        self.fetch = fetch
        self._face = face
        self.entities: dict[Reference, Entity] = {}
        self.times: Counter[Reference] = Counter()
        """How often the answer shows each."""
        self._views: dict[Reference, dict[str, Any]] = {}

    def view(self, entity: Entity, times: int = 1) -> View:
        """Return the view of an object, which the answer shows so many times more."""
        reference = entity.reference
        view = self._views.get(reference)
        if view is None:
            self.entities[reference] = entity
            self.times[reference] = times
            view = self._views[reference] = dict(self._face(entity))
        else:
            self.times[reference] += times
        return view

    def views(self, entities: Iterable[Entity], times: int = 1) -> list[View]:
        """Return the views of several objects."""
        return [self.view(entity, times) for entity in entities]

    def demand(self, deriving: Deriving) -> None:
        """Ask for the derived attributes that the views show."""
        entities = self.entities.values()
        class_name = next(iter(entities)).reference.class_name
        deriving.demand(class_name, self.fetch.derived, entities)

    def complete(self, deriving: Deriving) -> None:
        """Put the derived attributes into the views, once they are computed."""
        entities = list(self.entities.values())
        class_name = entities[0].reference.class_name
        for name in self.fetch.derived:
            values = deriving.values(class_name, name, entities)
            for view, value in zip(self._views.values(), values, strict=True):
                view[name] = value

    def put(self, reference: Reference, spot: str, value: Any) -> None:
        """Put into an object's view what a role leads to."""
        self._views[reference][spot] = value
