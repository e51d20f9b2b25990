"""What a caller sees of what there is: each read goes through it where a profile may not see everything."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from stratabase.domain.access.grants import access_of
from stratabase.domain.objects.entity import Entity, Reference, RoleName
from stratabase.domain.query.derived import Derive, simplify
from stratabase.domain.query.filter import And, Filter, Marked
from stratabase.domain.query.page import Page, Query
from stratabase.domain.query.read_budget import ReadBudget
from stratabase.expressions.environment import EvaluationContext
from stratabase.model.model import Model
from stratabase.operations.fetching.seen import Seen
from stratabase.operations.fetching.source import Source
from stratabase.operations.seeing.looking import NOBODY, Looking
from stratabase.operations.seeing.present import Present
from stratabase.operations.seeing.sight import with_state

_SEEN = Marked(".seen")


class Veil:
    """Reads as a source does, but for what the caller must not see: hidden objects are not there."""

    def __init__(self, source: Source, looking: Looking, present: Present | None = None) -> None:
        """`present`: what is seen now, beyond which nothing is seen; None where the source is of now."""
        self._source = source
        self._looking = looking
        self._present = present

    def read(
        self, references: Sequence[Reference], allowance: ReadBudget | None = None
    ) -> list[Entity | None]:
        """Return the objects in the order asked for, None where there is none that is seen."""
        del allowance  # what is seen is found out within the allowance that the looking has
        seen = self._looking.seen
        seen.read(references)
        return self.shown([seen[reference] for reference in references])

    def shown(self, entities: Iterable[Entity | None], read: Iterable[Entity] = ()) -> list[Entity | None]:
        """Return what is seen of objects that were read elsewhere, and others too. Raises TooMuchRead."""
        self._looking.seen.add(read)
        if self._present is None:
            return self._looking.shown(entities)
        entities = list(entities)
        self._present.note(entity for entity in entities if entity is not None)
        return self._present.limited(self._looking.shown(entities))

    def tells(self, reference: Reference, name: str) -> bool:
        """Return whether an attribute or a role of an object is seen. Raises TooMuchRead."""
        return bool(self._leading(RoleName(reference.class_name, name), [reference.id]))

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
        """Return for each owner the ids of the objects that a role leads to, whether they are seen or not."""
        owners = self._leading(role, ids)
        found = self._source.linked(
            role, owners, start=start, limit=limit, backward=backward, allowance=allowance
        )
        led_to = dict(zip(owners, found, strict=True))
        return [led_to.get(id_, ()) for id_ in ids]

    def page(self, query: Query, allowance: ReadBudget, derive: Derive | None = None) -> Page:
        """Return a window on the objects of a class that are seen."""
        sight = self._looking.sight(query.class_name)
        if sight.is_clear:
            return self._source.page(query, allowance, derive)
        if derive is None and sight.is_plain:
            return self._plainly(query, allowance, self._looking.filter(sight))
        marked = _narrowed(simplify(query), _SEEN if sight.is_open else NOBODY)
        return self._source.page(marked, allowance, partial(self._marked, derive))

    def _leading(self, name: RoleName, ids: Sequence[str]) -> Sequence[str]:
        """Return the objects of which a role, or an attribute, is seen."""
        found = self._looking.leading(name, ids)
        return found if self._present is None else self._present.leading(name, found)

    def _plainly(self, query: Query, allowance: ReadBudget, seen: Filter) -> Page:
        """Return a window on the objects that a filter tells to be seen."""
        found = self._source.page(_narrowed(query, seen), allowance)
        items = tuple(each for each in self.shown(found.items) if each is not None)
        return replace(found, items=items)

    def _marked(self, derive: Derive | None, entities: Sequence[Entity]) -> Sequence[Entity]:
        """Return objects as they are seen, with a mark, and as they are where they are not."""
        shown = self.shown(entities)
        seen = [each for each in shown if each is not None]
        marked = iter(map(_with_mark, seen if derive is None else derive(seen)))
        return [
            entity if each is None else next(marked) for entity, each in zip(entities, shown, strict=True)
        ]


def _narrowed(query: Query, seen: Filter) -> Query:
    return replace(query, filter=seen if query.filter is None else And((seen, query.filter)))


def _with_mark(entity: Entity) -> Entity:
    return with_state(entity, {**entity.state, _SEEN.mark: True})


def seen_by(source: Source, model: Model, allowance: ReadBudget, circumstances: EvaluationContext) -> Source:
    """Return what who asks sees of a source: the source itself, where that is everything."""
    return veil_of(source, model, allowance, circumstances) or source


def veil_of(
    source: Source,
    model: Model,
    allowance: ReadBudget,
    circumstances: EvaluationContext,
    present: Present | None = None,
) -> Veil | None:
    """Return the veil before a source for who asks, None for those who see everything."""
    access = access_of(model, circumstances.caller_field("profile"))
    if access is None:
        return None
    return Veil(source, Looking(Seen(source, model, allowance), access, circumstances), present)
