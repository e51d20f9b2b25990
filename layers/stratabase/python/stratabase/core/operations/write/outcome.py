"""The result of a write, after grants, warnings and the store were checked."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from stratabase.core.domain.issues.issue import Issue
from stratabase.core.domain.objects.change import Change, Effect
from stratabase.core.domain.objects.entity import Entity, Reference, State
from stratabase.core.domain.write.plan import WritePlan
from stratabase.core.domain.write.request_ids import ClientIds

_NONE: Mapping[Reference, str] = MappingProxyType({})
_NO_UPLOADS: Mapping[str, str] = MappingProxyType({})


class WriteResult(NamedTuple):
    """The object that was written, as it is now, and all effects of the write."""

    entity: Entity
    effects: tuple[Effect, ...] = ()
    """All changes. With them, `PendingWrite` shows the write at once, even if the store's indexes lag."""
    client_ids: ClientIds = _NONE
    """By object in the request: its client id."""
    uploads: Mapping[str, str] = _NO_UPLOADS
    """By file ID: the ID of the pending file, for files that the write takes."""

    @property
    def reference(self) -> Reference:
        """The reference of the object."""
        return self.entity.reference

    @property
    def state(self) -> State:
        """The state of the object."""
        return self.entity.state


class WriteOutcome(NamedTuple):
    """A plan, its change, and everything that prevents it."""

    plan: WritePlan
    change: Change
    issues: list[Issue]
    """The issues that prevent the write, including warnings that are not forced."""
    is_allowed: bool = True
    """Whether grants allow the write. If not, `issues` has nothing else."""
    reports: Sequence[Issue] = ()
    """What validations report besides the issues. It does not prevent the write."""

    @property
    def is_shown(self) -> bool:
        """Whether a preview may show the object as it would be, whatever the issues."""
        request = self.plan.request
        is_allowed = self.is_allowed and not self.plan.is_forbidden
        return is_allowed and request.context.ids.root in request.objects

    def result(self) -> WriteResult:
        """Return the result for the client."""
        entity = self.plan.entity
        assert entity is not None
        request = self.plan.request
        uploads = (
            {each.file.file_id: id_ for id_, each in request.files.items()} if request.files else _NO_UPLOADS
        )
        return WriteResult(entity, self.change.effects, request.context.ids.client_ids, uploads)
