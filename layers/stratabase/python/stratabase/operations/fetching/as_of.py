"""The stored objects as they were at an instant; of classes that keep no versions, as they are."""

from collections.abc import Sequence
from typing import Never

from stratabase.domain.issue import Issue, IssueType
from stratabase.domain.objects.entity import Entity, Reference, RoleName
from stratabase.domain.objects.instant import Instant
from stratabase.domain.query.derived import Derive
from stratabase.domain.query.page import Page, Query
from stratabase.domain.query.read_budget import ReadBudget
from stratabase.domain.refusal import Refused
from stratabase.model.model import Model
from stratabase.operations.fetching.moments import Moments
from stratabase.operations.fetching.stretch import Stretch
from stratabase.operations.ports import Entities


class AsOf:
    """Reads as the stored objects do. Locks are of no version."""

    def __init__(self, entities: Entities, model: Model, instant: Instant) -> None:
        self._moments = Moments(entities, model)
        self._instant = instant

    def read(
        self, references: Sequence[Reference], allowance: ReadBudget | None = None
    ) -> list[Entity | None]:
        """Return the objects in the order asked for, None where there was none."""
        return self._moments.read([(reference, self._instant) for reference in references], allowance)

    def linked(  # noqa: PLR0913 - as the port has it
        self,
        role: RoleName,
        ids: Sequence[str],
        *,
        start: str | None = None,
        limit: int | None = None,
        backward: bool = False,
        allowance: ReadBudget | None = None,
    ) -> list[tuple[str, ...]]:
        """Return for each owner the ids of the objects that a role may have led to; their keys tell."""
        owners = [(id_, self._instant) for id_ in ids]
        return self._moments.linked(role, owners, Stretch(start, limit, backward), allowance)

    def page(self, query: Query, allowance: ReadBudget, derive: Derive | None = None) -> Page:
        """Refuse: what may be associated is a question about the present."""
        del allowance, derive
        refuse_page(query)


def refuse_page(query: Query) -> Never:
    """Refuse to tell what may have been associated. Raises Refused."""
    message = (
        f"which {query.class_name} objects may be associated is known of the present only: "
        "do not select associables of versions"
    )
    raise Refused([Issue(IssueType.MALFORMED_REQUEST, message, entity_name=query.class_name)])
