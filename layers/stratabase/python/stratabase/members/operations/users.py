"""The members as objects of the class `_User`, in front of the stored objects."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from stratabase.core.domain.issues.refusals import ReadBudgetExceeded
from stratabase.core.domain.objects.change import Tombstone
from stratabase.core.domain.objects.entity import Entity, Moment, Reference, RoleName, State
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.query.derived import Derive, Related, role_filters
from stratabase.core.domain.query.filter import (
    And,
    Comparison,
    Filter,
    FlagFilter,
    Not,
    Or,
    RoleFilter,
    and_,
    conjuncts,
    or_,
)
from stratabase.core.domain.query.named_ids import ids_implied_by
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import Page, Paginator, Query
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.model.api_names import ID
from stratabase.core.model.member_names import RecordedMember, could_mean
from stratabase.core.model.model import Model, Unique
from stratabase.core.model.types.identifier import id_timestamp
from stratabase.core.model.types.operators import Operator
from stratabase.core.model.users import USER, USER_ATTRIBUTES
from stratabase.core.operations.ports import EntityRepository
from stratabase.members.member import Member
from stratabase.members.ports import ReadableMembers

_SIZE = 500
"""Bytes to charge for a member that was read, roughly its size without notes."""


class StoredQueries:
    """Queries without the roles to users, which no store knows."""

    def __init__(self, model: Model) -> None:
        """`model`: with users."""
        roles = {
            RoleName(class_.name, role.name): role
            for class_ in model.classes.values()
            for role in class_.roles.values()
            if role.target == USER
        }
        self.user_roles = roles.keys()
        """The names of the roles that lead to users."""
        self._stored_roles = {name for name, role in roles.items() if role.holds_key}

    def stored_query(self, query: Query) -> Query:
        """Return an equivalent query that names no role to users, which no store knows."""
        if not self.user_roles:  # most models
            return query
        of_users = [part for part in conjuncts(query.filter) if self._names_users(part)]
        query = replace(
            query,
            implied=self._stored_parts([*conjuncts(query.implied), *of_users]),
            implied_by_grants=self._stored_parts(conjuncts(query.implied_by_grants)),
        )
        return replace(query, filter=self._with_marks(query.filter)) if of_users and query.filter else query

    def _names_users(self, filter_: Filter) -> bool:
        return any(map(self._leads_to_users, role_filters(filter_)))

    def _stored_parts(self, conditions: Iterable[Filter]) -> Filter | None:
        """Return what conditions, all of which hold, imply of stored values; None if that is nothing."""
        found = (self._stored_part(condition) for condition in conditions)
        parts = [part for part in found if part is not None]
        return and_(parts) if parts else None

    def _stored_part(self, condition: Filter) -> Filter | None:
        """Return what a condition implies of stored values, None if that is nothing.

        If a role leads to the user with a certain ID, its key is that ID.
        """
        if not self._names_users(condition):
            return condition
        if isinstance(condition, RoleFilter) and condition.role in self._stored_roles:
            named = ids_implied_by(condition.part)
            return None if named is None else Comparison(condition.role.role_name, Operator.IN, tuple(named))
        if isinstance(condition, Or):
            parts = [self._stored_part(part) for part in condition.parts]
            known = [part for part in parts if part is not None]
            return or_(known) if len(known) == len(parts) else None
        return self._stored_parts(condition.parts) if isinstance(condition, And) else None

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
        return condition.role in self.user_roles or self._names_users(condition.part)


class UserRepository:
    """The stored objects, and the members as objects of `_User`.

    Implements the port `core.operations.ports.EntityRepository`. Methods that concern no user are those of
    the repository of the stored objects.
    """

    def __init__(
        self, entities: EntityRepository, members: Callable[[], ReadableMembers], model: Model
    ) -> None:
        """`members` returns the members. It is called when users are read first. `model`: with users."""
        self._entities = entities
        self._members = members
        self._model = model
        self._class = model.classes[USER]
        self._queries = StoredQueries(model)
        self.linked = entities.linked
        self.are_linked = entities.are_linked
        self.referrers = entities.referrers
        self.versions = entities.versions
        self.pending_purges = entities.pending_purges
        self.finish_cleanup = entities.finish_cleanup
        self.next_serials = entities.next_serials
        self.may_refuse = entities.may_refuse
        self.dry_run = entities.dry_run
        self.commit = entities.commit
        self.lock = entities.lock
        self.unlock = entities.unlock
        self.recorded = entities.recorded
        self.record = entities.record
        self.checkpoint = entities.checkpoint
        self.begin_checkpoint = entities.begin_checkpoint
        self.set_checkpoint = entities.set_checkpoint

    def fork(self) -> "UserRepository":
        """Return the same objects and users for a trial. Its commits stay in memory."""
        return UserRepository(self._entities.fork(), self._members, self._model)

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
        if role not in self._queries.user_roles:
            self._entities.check_role(role)

    def known_size(self, class_name: str, limit: int) -> int | None:
        """Return the number of objects of a class, None if it is unknown or exceeds `limit`."""
        return None if class_name == USER else self._entities.known_size(class_name, limit)

    def known_since(self, role: RoleName) -> Instant:
        """Return since when versions have what a role leads to, 0 for always. Roles to users never change."""
        return 0 if role in self._queries.user_roles else self._entities.known_since(role)

    def find_by_unique(
        self, class_name: str, unique: Unique, values: State, budget: ReadBudget
    ) -> Entity | None:
        """Return the object or the user that has unique values, or None. Raises ReadBudgetExceeded."""
        if class_name != USER:
            return self._entities.find_by_unique(class_name, unique, values, budget)
        conditions = [Comparison(name, Operator.EQ, values.get(name)) for name in unique.attributes]
        users = self._candidates(Query(USER, Order(), filter=And(tuple(conditions))), budget)
        return next(map(_user, users), None)

    def page(
        self,
        query: Query,
        budget: ReadBudget,
        derive: Derive | None = None,
        related: Related | None = None,
    ) -> Page:
        """Return one page of the objects of a class, or of the users. Raises ReadBudgetExceeded."""
        if query.class_name != USER:
            return self._entities.page(self._queries.stored_query(query), budget, derive, related)
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
