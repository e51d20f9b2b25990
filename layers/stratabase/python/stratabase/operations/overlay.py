"""The stored objects as they are after a write, whether it was done or only rehearsed."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from stratabase.domain.objects.change import Creation, Effect, EffectIndex
from stratabase.domain.objects.entity import Entity, Reference, RoleName
from stratabase.domain.query.derived import Derive
from stratabase.domain.query.page import Page, Query
from stratabase.domain.query.read_budget import ReadBudget
from stratabase.model.model import Model
from stratabase.operations.fetching.source import Source
from stratabase.operations.fetching.stretch import Stretch


class Overlay:
    """Reads as the stored objects do, with effects on top of what is found there.

    Pages of a class show what the store finds, as the effects leave it: new objects are not among them.
    """

    def __init__(self, source: Source, model: Model, effects: Iterable[Effect]) -> None:
        self._source = source
        self._model = model
        index = EffectIndex(effects, model)
        self._after = {reference: effect.after for reference, effect in index.objects.items()}
        self._new = {each for each, effect in index.objects.items() if isinstance(effect, Creation)}
        self._moves = index.by_owner

    def read(
        self, references: Sequence[Reference], allowance: ReadBudget | None = None
    ) -> list[Entity | None]:
        """Return the objects in the order asked for, None where there is none."""
        stored = [reference for reference in references if reference not in self._after]
        found = dict(zip(stored, self._source.read(stored, allowance), strict=True)) if stored else {}
        known = found | self._after
        return [known[reference] for reference in references]

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
        """Return for each owner the ids of the objects that a role leads to."""
        stored = [id_ for id_ in ids if Reference(role.class_name, id_) not in self._new]
        asked = stored and self._source.linked(
            role, stored, start=start, limit=self._enough(limit), backward=backward, allowance=allowance
        )
        found = dict(zip(stored, asked, strict=True))
        stretch = Stretch(start, limit, backward)
        return [tuple(stretch.of(self._merged(role, id_, found.get(id_, ())))) for id_ in ids]

    def page(self, query: Query, allowance: ReadBudget, derive: Derive | None = None) -> Page:
        """Return a window on the objects of a class."""
        if derive is None:
            found = self._source.page(query, allowance)
            found = replace(found, items=tuple(map(self._now, found.items)))
        else:
            found = self._source.page(query, allowance, lambda read: derive([*map(self._now, read)]))
        return replace(found, items=tuple(filter(self._is_there, found.items)))

    def _now(self, entity: Entity) -> Entity:
        """Return an object as it is after the effects; one that ends as it was."""
        return self._after.get(entity.reference) or entity

    def _is_there(self, entity: Entity) -> bool:
        return self._after.get(entity.reference, entity) is not None

    def _merged(self, role: RoleName, owner: str, found: Iterable[str]) -> list[str]:
        """Return the ids that are found as the effects leave them, without those of objects that end."""
        target = self._model.classes[role.class_name].roles[role.role_name].target
        leads = dict.fromkeys(found, True) | self._moves.get((role, owner), {})
        return [id_ for id_ in leads if leads[id_] and self._after.get(Reference(target, id_), True)]

    def _enough(self, limit: int | None) -> int | None:
        """Return how many to ask for, since the effects may take some away."""
        fewer = max(map(len, self._moves.values()), default=0) + sum(
            not each for each in self._after.values()
        )
        return None if limit is None else limit + fewer
