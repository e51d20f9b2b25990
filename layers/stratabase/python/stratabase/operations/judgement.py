"""What a command comes to, once everybody has had a say."""

from collections.abc import Sequence
from typing import NamedTuple

from stratabase.domain.change import Change
from stratabase.domain.graph.decision import Decision
from stratabase.domain.issue import Issue
from stratabase.operations.written import Written


class Judgement(NamedTuple):
    """A decision, the change that does it, and everything that keeps it from being done."""

    decision: Decision
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
        graph = self.decision.graph
        is_allowed = self.is_allowed and not self.decision.is_forbidden
        return is_allowed and graph.setting.names.root in graph.nodes

    def written(self) -> Written:
        """Return what the client is told."""
        entity = self.decision.entity
        assert entity is not None
        return Written(entity, self.change.effects, self.decision.graph.setting.names.client_ids)
