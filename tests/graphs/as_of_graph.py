"""The expected graph as of an instant, from the recorded graphs of that instant and of the present."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from stratabase.core.domain.objects.entity import Reference, RoleName, RoleStorage, storage_of
from stratabase.core.model.model import Role
from tests.graphs.reference_graph import ReferenceGraph


@dataclass(frozen=True)
class AsOfGraph:
    """The expected graph as of an instant. Versioned objects come from `then`, all others from `now`."""

    then: ReferenceGraph
    now: ReferenceGraph
    links: Callable[[RoleName, str], Sequence[str]]
    """Returns the present targets of a role without a key. Those of a one-way role may be deleted objects."""

    def is_versioned(self, reference: Reference) -> bool:
        return self.now.model.classes[reference.class_name].versioned

    def is_there(self, reference: Reference) -> bool:
        """Return whether an object exists. An unversioned part exists while its whole lists it."""
        if self.is_versioned(reference):
            return reference in self.then.objects
        way_up = next(self._ways_up(reference), None)
        return reference in self.now.objects and (way_up is None or self._is_listed(reference, *way_up))

    def _is_listed(self, part: Reference, whole: Reference, role: str) -> bool:
        """Return whether a whole exists and lists a part."""
        return self.is_there(whole) and part.id in self._graph(whole).parts[whole, role]

    def view(self, own: Reference, depth: int) -> dict[str, Any]:
        """Return an object with the views of all objects that its roles lead to, down to a depth."""
        roles = self.now.model.classes[own.class_name].roles.values() if depth else ()
        shown = {
            role.name: [self.view(each, depth - 1) for each in sorted(self.led_to(own, role))]
            for role in roles
        }
        values = {name: value for name, value in self._graph(own).objects[own].items() if value is not None}
        return {"_id": own.id, **values, **{name: views for name, views in shown.items() if views}}

    def state(self, own: Reference) -> dict[str, Any]:
        """Return the values of an object."""
        return {"_id": own.id, **self._graph(own).objects[own]}

    def led_to(self, own: Reference, role: Role) -> set[Reference]:
        """Return the existing objects that a role leads to."""
        named = (Reference(role.target, id_) for id_ in self._ids(own, role))
        if storage_of(self.now.model, role) is RoleStorage.PARTS:
            return {part for part in named if part in self._graph(part).objects}
        return set(filter(self.is_there, named))

    def _graph(self, reference: Reference) -> ReferenceGraph:
        return self.then if self.is_versioned(reference) else self.now

    def _ids(self, own: Reference, role: Role) -> Iterator[str]:
        match storage_of(self.now.model, role):
            case RoleStorage.OWN_KEY:
                yield from filter(None, [self._key(own, role.name)])
            case RoleStorage.PARTS:
                yield from self._graph(own).parts[own, role.name]
            case RoleStorage.WHOLE:
                wholes = [whole for whole, name in self._ways_up(own) if name == role.opposite]
                yield from (whole.id for whole in wholes if whole.class_name == role.target)
            case RoleStorage.LINKS:
                yield from self.links(RoleName(own.class_name, role.name), own.id)
            case _:
                yield from self._holders(own, role)

    def _holders(self, own: Reference, role: Role) -> Iterator[str]:
        """Yield the ids of the objects whose key leads to an object."""
        known = {*self.then.objects, *self.now.objects}
        for holder in known:
            if holder.class_name == role.target and holder in self._graph(holder).objects:
                yield from [holder.id] * (self._key(holder, str(role.opposite)) == own.id)

    def _key(self, holder: Reference, role: str) -> str | None:
        """Return the target of a key, even if the target does not exist, or None if the key is null."""
        graph, name = self._graph(holder), RoleName(holder.class_name, role)
        led = (to for own, to in graph.pairs[name] if own == holder.id)
        return next(led, graph.broken_keys.get((holder, role)))

    def _ways_up(self, part: Reference) -> Iterator[tuple[Reference, str]]:
        """Yield the whole of an object, if it is a part, and the name of the composition's role."""
        graph = self._graph(part)
        for (whole, name), ids in graph.parts.items():
            if part.id in ids and graph.role(RoleName(whole.class_name, name)).target == part.class_name:
                yield whole, name
