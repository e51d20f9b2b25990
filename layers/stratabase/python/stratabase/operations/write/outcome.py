"""What a write comes to, once grants, warnings and the store had a say."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from stratabase.domain.issues.issue import Issue
from stratabase.domain.objects.change import Change, Effect
from stratabase.domain.objects.entity import Entity, Reference, State
from stratabase.domain.write.plan import WritePlan
from stratabase.domain.write.request_ids import ClientIds

_NONE: Mapping[Reference, str] = MappingProxyType({})


class WriteResult(NamedTuple):
    """The object that was written, as it is now, and what else was done."""

    entity: Entity
    effects: tuple[Effect, ...] = ()
    """All that was done; a `PendingWrite` of it shows it at once, where the store's indexes lag."""
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


class WriteOutcome(NamedTuple):
    """A plan, the change that does it, and everything that keeps it from being done."""

    plan: WritePlan
    change: Change
    issues: list[Issue]
    """Warnings that are not forced are among them."""
    is_allowed: bool = True
    """Grants do not refuse it: if they do, nothing else is told."""
    reports: Sequence[Issue] = ()
    """What validations tell beside that, and what stops no write."""

    @property
    def is_shown(self) -> bool:
        """Whether the object that the command is on may be shown as it would be, whatever else is wrong."""
        request = self.plan.request
        is_allowed = self.is_allowed and not self.plan.is_forbidden
        return is_allowed and request.context.ids.root in request.objects

    def result(self) -> WriteResult:
        """Return what the client is told."""
        entity = self.plan.entity
        assert entity is not None
        return WriteResult(entity, self.change.effects, self.plan.request.context.ids.client_ids)
