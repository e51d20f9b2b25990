"""The stored objects as they were at an instant; of classes that keep no versions, as they are."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from stratabase.domain.allowance import Allowance
from stratabase.domain.derived_query import Derive
from stratabase.domain.entity import Entity, Reference
from stratabase.domain.instant import Instant
from stratabase.domain.issue import Issue, IssueType
from stratabase.domain.page import Page, Query
from stratabase.domain.refusal import Refused
from stratabase.domain.role_name import RoleName
from stratabase.model.model import Model
from stratabase.model.role import Role
from stratabase.operations.ports import Entities


class AsOf:
    """Reads as the stored objects do. Locks are of no version."""

    def __init__(self, entities: Entities, model: Model, instant: Instant) -> None:
        self._entities = entities
        self._model = model
        self._instant = instant

    def read(
        self, references: Sequence[Reference], allowance: Allowance | None = None
    ) -> list[Entity | None]:
        """Return the objects in the order asked for, None where there was none."""
        moments = [(reference, self._instant) for reference in references]
        found = self._entities.as_of(moments, allowance)
        loose = self._without_wholes(list(filter(None, found)), allowance)
        return [entity and loose.get(entity.reference, self._free(entity)) for entity in found]

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
        """Return for each owner the ids of the objects that a role may have led to; their keys tell."""
        return self._entities.linked(
            role,
            ids,
            start=start,
            limit=limit,
            backward=backward,
            at=self._instant,
            allowance=allowance,
        )

    def page(self, query: Query, allowance: Allowance, derive: Derive | None = None) -> Page:
        """Refuse: what may be associated is a question about the present."""
        del allowance, derive
        message = (
            f"which {query.class_name} objects may be associated is known of the present only: "
            "do not select associables of versions"
        )
        raise Refused([Issue(IssueType.MALFORMED_REQUEST, message, entity_name=query.class_name)])

    def _free(self, entity: Entity) -> Entity:
        return replace(entity, lock=None) if self._is_versioned(entity.reference) else entity

    def _is_versioned(self, reference: Reference) -> bool:
        return self._model.classes[reference.class_name].versioned

    def _without_wholes(
        self, entities: Iterable[Entity], allowance: Allowance | None
    ) -> Mapping[Reference, Entity | None]:
        """Return parts whose wholes keep no versions and are there no more, without the key to them.

        None for those that were not there any more either, though what is left of them is not purged yet.
        """
        doubtful = {entity.reference: (entity, *up) for entity in entities for up in self._ways_up(entity)}
        wholes = list(dict.fromkeys(whole for _, _, whole in doubtful.values()))
        if not wholes:
            return {}
        there = dict(zip(wholes, self._entities.read(wholes, allowance), strict=True))
        missing = [whole for whole, entity in there.items() if entity is None]
        ended = dict(zip(missing, self._entities.purged(missing), strict=True))
        return {
            reference: self._loose(entity, role, ended[whole])
            for reference, (entity, role, whole) in doubtful.items()
            if whole in ended
        }

    def _loose(self, entity: Entity, role: Role, ended: Instant | None) -> Entity | None:
        if ended is not None and ended <= self._instant:
            return None
        state = {name: value for name, value in entity.state.items() if name != role.name}
        return self._free(replace(entity, state=state))

    def _ways_up(self, entity: Entity) -> Iterator[tuple[Role, Reference]]:
        """Yield the whole of a versioned part, if that keeps no versions."""
        class_ = self._model.classes[entity.reference.class_name]
        if not (class_.versioned and class_.part):
            return
        for role in class_.roles.values():
            id_ = entity.state.get(role.name) if role.whole else None
            if id_ is not None and not self._model.classes[role.target].versioned:
                yield role, Reference(role.target, str(id_))
