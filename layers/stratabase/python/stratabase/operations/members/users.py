"""The members as objects of the class `_User`, in front of the stored objects."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from stratabase.domain.issues.refusals import ReadBudgetExceeded
from stratabase.domain.members.member import Member
from stratabase.domain.objects.change import Tombstone
from stratabase.domain.objects.entity import Entity, Moment, Reference, RoleName
from stratabase.domain.query.derived import Derive, Related, role_filters
from stratabase.domain.query.filter import (
    And,
    Comparison,
    Filter,
    FlagFilter,
    Not,
    Or,
    RoleFilter,
    and_,
    conjuncts,
)
from stratabase.domain.query.page import Page, Paginator, Query
from stratabase.domain.query.read_budget import ReadBudget
from stratabase.model.api_names import ID
from stratabase.model.member_names import RecordedMember, could_mean
from stratabase.model.model import Model
from stratabase.model.types.identifier import id_timestamp
from stratabase.model.types.operators import Operator
from stratabase.model.users import USER, USER_ATTRIBUTES
from stratabase.operations.ports import EntityRepository, ReadableMembers

_SIZE = 500
"""Bytes to charge for a member that was read, roughly its size without notes."""


class UserRepository:
    """The stored objects, and the members as objects of `_User`.

    Implements the port `operations.ports.EntityRepository`. The repository of the stored objects answers what
    concerns no user: `__getattr__` leads to it.
    """

    def __init__(
        self, entities: EntityRepository, members: Callable[[], ReadableMembers], model: Model
    ) -> None:
        """`members` returns the members. It is called when users are read first. `model`: with users."""
        self._entities = entities
        self._members = members
        self._class = model.classes[USER]
        self._user_roles = frozenset(
            RoleName(class_.name, role.name)
            for class_ in model.classes.values()
            for role in class_.roles.values()
            if role.recorded_in is not None
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self._entities, name)

    def read(self, references: Sequence[Reference], budget: ReadBudget | None = None) -> list[Entity | None]:
        """Return objects and users in the order of `references`, None for a missing one."""
        users = self._read_users(references, budget)
        if not users:
            return self._entities.read(references, budget)
        objects = [each for each in references if each not in users]
        found = dict(zip(objects, self._entities.read(objects, budget), strict=True)) if objects else {}
        return [users[each] if each in users else found[each] for each in references]

    def as_of(self, moments: Sequence[Moment], budget: ReadBudget | None = None) -> list[Entity | None]:
        """Return objects as they were at instants, and users as they are now."""
        users = self._read_users([moment.reference for moment in moments], budget)
        if not users:
            return self._entities.as_of(moments, budget)
        objects = [each for each in moments if each.reference not in users]
        found = dict(zip(objects, self._entities.as_of(objects, budget), strict=True)) if objects else {}
        return [users[each.reference] if each.reference in users else found[each] for each in moments]

    def tombstones(self, references: Sequence[Reference]) -> list[Tombstone | None]:
        """Return the tombstones of deleted objects, None for other objects. Users leave none."""
        objects = [each for each in references if each.class_name != USER]
        found = dict(zip(objects, self._entities.tombstones(objects), strict=True)) if objects else {}
        return [found.get(each) for each in references]

    def check_role(self, role: RoleName) -> None:
        """Raise RoleUnavailable if objects may not have a role in their state, although the model says so."""
        if role not in self._user_roles:
            self._entities.check_role(role)

    def page(
        self,
        query: Query,
        budget: ReadBudget,
        derive: Derive | None = None,
        related: Related | None = None,
    ) -> Page:
        """Return one page of the objects of a class, or of the users. Raises ReadBudgetExceeded."""
        if query.class_name != USER:
            return self._entities.page(self.stored_query(query), budget, derive, related)
        users: Sequence[Entity] = [*map(_user, self._candidates(query, budget))]
        if derive is not None:
            users = derive(users)
        page, fields = Paginator(query, self._class).page(users), query.fields
        return Page(
            page.items if fields.items else (),
            page.total_count if fields.total_count else None,
            page.has_next if fields.has_next else None,
            page.has_prev if fields.has_prev else None,
        )

    def stored_query(self, query: Query) -> Query:
        """Return an equivalent query that names no role to users, which no store knows."""
        if not self._user_roles:  # most models
            return query
        query = replace(
            query,
            implied=self._without_users(query.implied),
            implied_by_grants=self._without_users(query.implied_by_grants),
        )
        if query.filter is None or not self._names_users(query.filter):
            return query
        return replace(query, filter=self._with_marks(query.filter))

    def _names_users(self, filter_: Filter) -> bool:
        return any(map(self._leads_to_users, role_filters(filter_)))

    def _without_users(self, implied: Filter | None) -> Filter | None:
        """Return those of some conditions, all of which hold, that follow no role to users."""
        if implied is None or not self._names_users(implied):
            return implied
        parts = [part for part in conjuncts(implied) if not self._names_users(part)]
        return and_(parts) if parts else None

    def _with_marks(self, filter_: Filter) -> Filter:
        """Return a filter that tests the marks of role filters that lead to users.

        A state has the result of a role filter under its mark before it is tested.
        """
        if isinstance(filter_, RoleFilter):
            return FlagFilter(filter_.mark) if self._leads_to_users(filter_) else filter_
        if isinstance(filter_, And | Or):
            return type(filter_)(tuple(map(self._with_marks, filter_.parts)))
        return Not(self._with_marks(filter_.part)) if isinstance(filter_, Not) else filter_

    def _leads_to_users(self, condition: RoleFilter) -> bool:
        """Return whether a role filter follows a role to users, itself or in its part."""
        return condition.role in self._user_roles or self._names_users(condition.part)

    def _read_users(
        self, references: Iterable[Reference], budget: ReadBudget | None
    ) -> Mapping[Reference, Entity | None]:
        """Return the users among objects, None for a missing one. All are read in one batch."""
        users = [each for each in references if each.class_name == USER]
        if not users:
            return {}
        wanted = dict.fromkeys(users)
        if budget is not None and budget.is_exhausted:
            raise ReadBudgetExceeded(USER)
        by_id = [each for each in wanted if not isinstance(each.id, RecordedMember)]
        found = (
            dict(zip(by_id, self._members().by_ids([each.id for each in by_id]), strict=True))
            if by_id
            else {}
        )
        # Only objects of earlier versions record no id.
        found |= {each: self._by_name(each.id) for each in wanted if isinstance(each.id, RecordedMember)}
        _charge(budget, filter(None, found.values()))
        return {
            reference: None if member is None else Entity(reference, user_state(member))
            for reference, member in found.items()
        }

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
            if find is not None and isinstance(part.operand, str):
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
