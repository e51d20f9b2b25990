"""The stored objects: what the operations read and commit, over any engine."""

from collections.abc import Callable, Mapping, Sequence

from stratabase.domain.allowance import Allowance
from stratabase.domain.change import Change
from stratabase.domain.derived_query import Derive
from stratabase.domain.entity import Entity, Reference, State
from stratabase.domain.page import Page, Query
from stratabase.domain.role_name import RoleName
from stratabase.domain.serial_name import SerialName
from stratabase.domain.singleton import SINGLETON_ID
from stratabase.model.class_ import Unique
from stratabase.model.model import Model
from stratabase.store import codec, committing, keys, linked, pages, unique_reading
from stratabase.store.access_path import AccessPath
from stratabase.store.aftermath import Aftermath, Steps
from stratabase.store.associations import Associations
from stratabase.store.desk import Desk
from stratabase.store.engine import Engine, Item
from stratabase.store.linked import Range
from stratabase.store.purging import Purging
from stratabase.store.serials import Serials
from stratabase.store.side_by_side import SideBySide, one_by_one
from stratabase.store.slots import Slots
from stratabase.store.spending import Spending


class StoredEntities:
    """The objects of a model, kept by an engine."""

    def __init__(self, engine: Engine, model: Model, together: SideBySide = one_by_one) -> None:
        """`together`: how several ranges are read, which may be at the same time."""
        self._engine = engine
        self._model = model
        self._slots = Slots(engine, model)
        self._serials = Serials(engine)
        self._desk = Desk(engine, model, Associations(model), self._paths, together)
        self._aftermath = Aftermath(Purging(self._desk))

    def read(
        self, references: Sequence[Reference], allowance: Allowance | None = None
    ) -> list[Entity | None]:
        """Return the objects in the order asked for, None where there is none; exact at once.

        A singleton is always there: before it is first written (by an Update) it has nothing but its `_id`.
        With an allowance, that is drawn from, so many at a time. Raises TooMuchRead when it was used up.
        """
        items = self._heads(references, allowance)
        return [
            self._unwritten(reference) if item is None else codec.entity_of(item)
            for reference, item in zip(references, items, strict=True)
        ]

    def _heads(self, references: Sequence[Reference], allowance: Allowance | None) -> list[Item | None]:
        spending = Spending(allowance, references[0].class_name if references else "")
        return self._desk.got([keys.head(reference) for reference in references], spending)

    def linked(  # noqa: PLR0913 - as the port has it
        self,
        role: RoleName,
        ids: Sequence[str],
        *,
        start: str | None = None,
        limit: int | None = None,
        backward: bool = False,
        allowance: Allowance | None = None,
    ) -> list[tuple[str, ...]]:
        """Return for each owner the ids of the objects that a role leads to; exact at once.

        In order (descending if `backward`), after `start` in that order, at most `limit` of each owner; an
        object that is named may be there no more. With an allowance, as `read`.
        """
        return linked.linked(self._desk, role, ids, Range(start, limit, backward), allowance)

    def joined(self, role: RoleName, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        """Return of each owner and other whether a link leads from the one to the other; exact at once."""
        return linked.joined(self._desk, role, pairs)

    def page(self, query: Query, allowance: Allowance, derive: Derive | None = None) -> Page:
        """Return a window on the objects of a class. Raises TooMuchRead.

        A query about derived attributes comes with `derive`, which gives objects that are read their values.
        """
        class_, paths = self._model.classes[query.class_name], self._slots.paths(query.class_name)
        return pages.page(self._engine, class_, query, allowance, paths, derive)

    def holding(self, class_name: str, unique: Unique, values: State, allowance: Allowance) -> Entity | None:
        """Return the object that has unique values, None when there is none, or a value is null.

        Exact at once, as soon as all objects have their guards. Raises TooMuchRead.
        """
        class_ = self._model.classes[class_name]
        if self._slots.is_guarded(class_, unique):
            return unique_reading.holding(self._engine, class_, unique, values, allowance)
        found = self.page(unique_reading.likely(class_, unique, values), allowance).items
        return next((each for each in found if unique_reading.has(class_, unique, each, values)), None)

    def lacking(self) -> tuple[str, ...]:
        """Return what a reindex has to build, as a person knows it."""
        return self._slots.lacking()

    def next_serials(self, wanted: Mapping[SerialName, int]) -> Mapping[SerialName, range]:
        """Return as many new numbers of each Serial attribute as are wanted: from 1, and never one again.

        Some may stay unused, whatever becomes of them. Raises Unavailable.
        """
        return self._serials.next(wanted)

    def rehearse(self, change: Change) -> None:
        """Raise what `commit` would raise for a change now, and write nothing."""
        if change.effects:
            committing.rehearse(self._desk, change)

    def commit(self, change: Change) -> None:
        """Do all of a change or nothing. Raises Conflict, Taken, Broken, TooLarge, Unavailable."""
        if not change.effects:
            return
        left = committing.commit(self._desk, change)
        if left:
            self._aftermath.end(left)

    def leave_to(self, take: Callable[[Steps], None]) -> None:
        """Have `take` get what `commit` has no time to end of what deletions leave; without, a sweep does."""
        self._aftermath.leave_to(take)

    def sweeping(self) -> Steps:
        """Return what ends all that deletions have left, step by step. Each raises Unavailable."""
        return self._aftermath.sweeping()

    def sweep(self) -> None:
        """End what deletions have left because they could not do it as one. Raises Unavailable."""
        for _ in self.sweeping():
            pass

    def _paths(self, class_name: str) -> tuple[AccessPath, ...]:
        return self._slots.paths(class_name)

    def _unwritten(self, reference: Reference) -> Entity | None:
        """Return what a singleton is before it is written; None of other objects."""
        is_one = reference.id == SINGLETON_ID and self._desk.is_singleton(reference.class_name)
        return Entity(reference, {"_id": SINGLETON_ID}) if is_one else None
