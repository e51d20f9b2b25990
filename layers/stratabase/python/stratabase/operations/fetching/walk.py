"""A walk over one role, from all objects of a branch at once."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Generic, TypeVar

from stratabase.domain.objects.entity import Reference
from stratabase.domain.query.fetch import RoleFetch
from stratabase.operations.fetching.branch import Branch
from stratabase.operations.fetching.known import Known
from stratabase.operations.fetching.passage import Passage

F = TypeVar("F", bound=RoleFetch)


class Walk(Passage, ABC, Generic[F]):
    """Finds what a role leads to, and puts it into the views of a branch."""

    def __init__(self, spot: str, wanted: F, branch: Branch, known: Known) -> None:
        super().__init__(wanted.name, wanted.role, known)
        self.spot = spot
        self.wanted = wanted
        self.branch = branch
        self.known = known
        self.next = Branch(wanted.fetch, known.face)

    @abstractmethod
    def needs(self) -> Iterable[Reference]:
        """Return the objects that are still to be read; asked again once they are, until there are none."""

    @abstractmethod
    def arrive(self) -> None:
        """Put into the views what was found, and the objects of the next level into `next`."""

    def spend(self) -> None:
        """Draw on the request's allowance for all that the next level shows. Raises TooMuchRead."""
        self.known.spend(self.target.name, self.next.times.total())
