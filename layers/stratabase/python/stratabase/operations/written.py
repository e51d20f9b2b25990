"""What a write has come to, or would come to."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from stratabase.domain.change import Effect
from stratabase.domain.entity import Entity, Reference, State
from stratabase.domain.graph.names import ClientIds

_NONE: Mapping[Reference, str] = MappingProxyType({})


class Written(NamedTuple):
    """The object that was written, as it is now, and what else was done."""

    entity: Entity
    effects: tuple[Effect, ...] = ()
    """All that was done; an `Overlay` of it shows it at once, where the store's indexes lag."""
    client_ids: ClientIds = _NONE
    """What the client calls the objects that it spoke of."""

    @property
    def reference(self) -> Reference:
        """Which object it is."""
        return self.entity.reference

    @property
    def state(self) -> State:
        """Its state."""
        return self.entity.state


def client_ids(reference: Reference, client_id: str | None) -> ClientIds:
    """Return what a client calls the one object that it spoke of."""
    return _NONE if client_id is None else {reference: client_id}
