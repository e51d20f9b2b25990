"""The members as objects of the class `_User`, which is a source of the repository."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from stratabase.core.domain.issues.refusals import ReadBudgetExceeded
from stratabase.core.domain.objects.entity import Entity, Reference, State
from stratabase.core.domain.query.derived import Derive
from stratabase.core.domain.query.filter import (
    And,
    Comparison,
    Filter,
    conjuncts,
)
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import Page, Paginator, Query
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.model.api_names import ID
from stratabase.core.model.member_names import RecordedMember, could_mean
from stratabase.core.model.model import Model, Unique
from stratabase.core.model.types.identifier import id_timestamp
from stratabase.core.model.types.operators import Operator
from stratabase.core.model.users import USER, USER_ATTRIBUTES, user_class
from stratabase.members.member import Member
from stratabase.members.ports import ReadableMembers

_SIZE = 500
"""Bytes to charge for a member that was read, roughly its size without notes."""


class UserSource:
    """The members as objects. Implements `core.store.sources.ObjectSource` for the class `_User`."""

    def __init__(self, members: Callable[[], ReadableMembers], model: Model) -> None:
        """`members` returns the members. It is called when users are read first."""
        self._members = members
        self._class = user_class(model)

    def read(self, references: Sequence[Reference], budget: ReadBudget | None) -> list[Entity | None]:
        """Return users in the order of `references`, None for a missing one. All are read in one batch."""
        if budget is not None and budget.is_exhausted:
            raise ReadBudgetExceeded(USER)
        wanted = dict.fromkeys(references)
        by_id = [each for each in wanted if not isinstance(each.id, RecordedMember)]
        found = (
            dict(zip(by_id, self._members().by_ids([each.id for each in by_id]), strict=True))
            if by_id
            else {}
        )
        # Only objects of earlier versions record no id.
        found |= {each: self._by_name(each.id) for each in wanted if isinstance(each.id, RecordedMember)}
        _charge(budget, filter(None, found.values()))
        return [
            None if (member := found[each]) is None else Entity(each, user_state(member))
            for each in references
        ]

    def find_by_unique(self, unique: Unique, values: State, budget: ReadBudget) -> Entity | None:
        """Return the user that has unique values, or None. Raises ReadBudgetExceeded."""
        conditions = [Comparison(name, Operator.EQ, values.get(name)) for name in unique.attributes]
        users = self._candidates(Query(USER, Order(), filter=And(tuple(conditions))), budget)
        return next(map(_user, users), None)

    def page(self, query: Query, budget: ReadBudget, derive: Derive | None) -> Page:
        """Return one page of the users. Raises ReadBudgetExceeded."""
        users: Iterable[Entity] = map(_user, self._candidates(query, budget))
        if derive is not None:
            users = derive([*users])
        paginator = Paginator(query, self._class, partial(budget.compare_in, USER))
        page, fields = paginator.page(budget.within(USER, users)), query.fields
        return Page(
            page.items if fields.items else (),
            page.total_count if fields.total_count else None,
            page.has_next if fields.has_next else None,
            page.has_prev if fields.has_prev else None,
        )

    def _by_name(self, key: RecordedMember) -> Member | None:
        """Return the member whom an object records by name, if the member is older than the record."""
        member = self._members().by_username(key.name)
        if member is None or not could_mean(id_timestamp(member.id), key.written):
            return None
        return member

    def _candidates(self, query: Query, budget: ReadBudget) -> Iterator[Member]:
        """Yield at least the members that match a query. Raises ReadBudgetExceeded."""
        number = 0
        known = (query.filter, query.implied, query.implied_by_grants)
        for batch in self._batches(part for each in known for part in conjuncts(each)):
            if budget.is_exhausted:
                raise ReadBudgetExceeded(USER, number)
            _charge(budget, batch)
            yield from batch
            number += len(batch)

    def _batches(self, conditions: Iterable[Filter]) -> Iterator[Sequence[Member]]:
        """Yield at least the members that meet all conditions, by their unique values if possible."""
        members = self._members()
        lookups = {ID: members.by_id, "username": members.by_username, "email": members.by_email}
        equal = (part for part in conditions if isinstance(part, Comparison) and part.operator is Operator.EQ)
        for part in equal:
            find = lookups.get(part.attribute)
            # Programs have no email address, so "" is not unique.
            if find is not None and isinstance(part.operand, str) and part.operand:
                member = find(part.operand)
                return iter([[member]] if member else [])
        return members.batches()


def _charge(budget: ReadBudget | None, members: Iterable[Member]) -> None:
    if budget is not None:
        budget.charge(sum(_SIZE + len(member.notes or "") for member in members))


def _user(member: Member) -> Entity:
    return Entity(Reference(USER, member.id), user_state(member))


def user_state(member: Member) -> Mapping[str, Any]:
    """Return the state of a member as an object: `_id` and the attributes of `_User`, and nothing else."""
    formats = member.formats
    values = {
        "username": member.username,
        "email": member.email,
        "profile": member.profile,
        "notes": member.notes,
        "language": formats.language,
        "timeZone": formats.time_zone,
        "dateFormat": formats.date_format,
        "timeFormat": formats.time_format,
        "disabled": member.disabled,
    }
    return {ID: member.id, **{name: values[name] for name in USER_ATTRIBUTES}}
