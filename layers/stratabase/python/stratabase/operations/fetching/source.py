"""What a fetch reads from: the stored objects, or these as a change would leave them."""

from collections.abc import Sequence
from typing import Protocol

from stratabase.domain.objects.entity import Entity, Reference, RoleName
from stratabase.domain.query.derived import Derive
from stratabase.domain.query.page import Page, Query
from stratabase.domain.query.read_budget import ReadBudget


class Source(Protocol):
    """Objects that can be read, as the port of the stored ones says it."""

    def read(
        self, references: Sequence[Reference], allowance: ReadBudget | None = None
    ) -> list[Entity | None]:
        """Return the objects in the order asked for, None where there is none."""

    def linked(  # noqa: PLR0913 - whose, and which of them
        self,
        role: RoleName,
        ids: Sequence[str],
        *,
        start: str | None = None,
        limit: int | None = None,
        backward: bool = False,
        allowance: ReadBudget | None = None,
    ) -> list[tuple[str, ...]]:
        """Return for each owner the ids of the objects that a role leads to."""

    def page(self, query: Query, allowance: ReadBudget, derive: Derive | None = None) -> Page:
        """Return a window on the objects of a class; with `derive`, as the port says."""
