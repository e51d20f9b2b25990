"""A walk over one role, from all objects of a branch at once."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Generic, TypeVar

from stratabase.domain.entity import Entity, Reference
from stratabase.domain.fetch import RoleFetch
from stratabase.domain.way import Way, way_of
from stratabase.model.class_ import Class
from stratabase.operations.fetching.branch import Branch
from stratabase.operations.fetching.known import Known

F = TypeVar("F", bound=RoleFetch)

_BY_THE_KEY_OF_THE_OTHER = frozenset({Way.FACED, Way.MEMBERS})


class Walk(ABC, Generic[F]):
    """Finds what a role leads to, and puts it into the views of a branch."""

    def __init__(self, spot: str, wanted: F, branch: Branch, known: Known) -> None:
        self.spot = spot
        self.wanted = wanted
        self.branch = branch
        self.known = known
        self.target: Class = known.model.classes[wanted.role.target]
        self.way = way_of(known.model, wanted.role)
        self.next = Branch(wanted.fetch, known.face)

    @abstractmethod
    def needs(self) -> Iterable[Reference]:
        """Return the objects that are still to be read; asked again once they are, until there are none."""

    @abstractmethod
    def arrive(self) -> None:
        """Put into the views what was found, and the objects of the next level into `next`."""

    def reference(self, id_: str) -> Reference:
        """Return an object that the role leads to."""
        return Reference(self.target.name, id_)

    def unread(self, references: Iterable[Reference]) -> list[Reference]:
        """Return what is still to be read before `there` can tell."""
        if self.way is Way.PARTS:
            return [reference for reference in references if reference not in self.known]
        return self.known.unknown(references)

    def there(self, reference: Reference) -> Entity | None:
        """Return an object that there is. Parts to which their whole has led are there with it."""
        return self.known[reference] if self.way is Way.PARTS else self.known.get(reference)

    def spend(self) -> None:
        """Draw on the request's allowance for all that the next level shows. Raises TooMuchRead."""
        self.known.spend(self.target.name, self.next.times.total())

    def leads_back(self, entity: Entity, owner: str) -> bool:
        """Return whether an object that links named has not moved on: the key that it holds, if it does."""
        opposite = self.wanted.role.opposite
        if opposite is None or self.way not in _BY_THE_KEY_OF_THE_OTHER:
            return True
        return entity.state.get(opposite) == owner
