"""Objects of sources beside those of the store: who is asked for which, and with what query."""

from collections.abc import Sequence
from typing import Any

import pytest

from stratabase.core.domain.objects.change import Change, Creation
from stratabase.core.domain.objects.entity import Entity, Moment, Reference, RoleName, State
from stratabase.core.domain.query.derived import Derive
from stratabase.core.domain.query.filter import And, Comparison, Filter, FlagFilter, Not, Or, RoleFilter
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import Page, Query
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.model.model import Unique
from stratabase.core.model.reading import read_model
from stratabase.core.model.types.operators import Operator
from stratabase.core.model.users import USER, with_users
from stratabase.core.store.repository import Repository
from stratabase.core.store.sources import StoredQueries
from tests.core.store.watched_engine import WatchedEngine
from tests.fakes import NOON, unlimited_budget

MODEL = read_model(
    'extend schema @application(name: "Hr") '
    "type Note @class(platform: [CREATED_BY], versioned: true) { text: String } type Plain { x: Int }",
    "m",
)
NOTE = Reference("Note", "n1")
CREATOR = RoleName("Note", "_createdby_user")


def user(id_: str) -> Reference:
    return Reference(USER, id_)


class OneUser:
    """A source with the user m1, which notes what it is asked for."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.found = Entity(user("m1"), {"_id": "m1"})

    def read(self, references: Sequence[Reference], budget: ReadBudget | None) -> list[Entity | None]:
        del budget
        self.asked.append(list(references))
        return [self.found if each == self.found.reference else None for each in references]

    def page(self, query: Query, budget: ReadBudget, derive: Derive | None) -> Page:
        del budget, derive
        self.asked.append(query)
        return Page((self.found,))

    def find_by_unique(self, unique: Unique, values: State, budget: ReadBudget) -> Entity | None:
        del budget
        self.asked.append((unique, values))
        return self.found


@pytest.fixture
def source() -> OneUser:
    return OneUser()


@pytest.fixture
def repository(source: OneUser) -> Repository:
    """A repository with one note."""
    repository = Repository(WatchedEngine(), MODEL, sources={USER: source})
    note = Entity(NOTE, {"_id": "n1", "text": "a"}, start=NOON)
    repository.commit(Change("c", NOON, (Creation(note),)))
    return repository


def ids(found: Sequence[Entity | None]) -> list[str | None]:
    return [None if each is None else each.reference.id for each in found]


def test_objects_of_several_sources_are_read_in_the_requested_order(
    repository: Repository, source: OneUser
) -> None:
    wanted = [user("m1"), NOTE, user("none"), user("m1")]
    for repo in (repository, repository.fork()):
        assert ids(repo.read(wanted)) == ["m1", "n1", None, "m1"]
        moments = [Moment(each, NOON + at) for at, each in enumerate(wanted)]
        assert ids(repo.as_of([*moments, Moment(NOTE, NOON - 1)])) == ["m1", "n1", None, "m1", None]
    # Each call asks for each object once, and for all of them together.
    assert source.asked == [[user("m1"), user("none")]] * 4


def test_calls_about_other_classes_ask_no_source(repository: Repository, source: OneUser) -> None:
    repository.read([NOTE])
    repository.as_of([Moment(NOTE, NOON)])
    repository.page(Query("Note", Order()), unlimited_budget())
    assert source.asked == []


def test_a_source_answers_for_its_class(repository: Repository, source: OneUser) -> None:
    query, unique, budget = Query(USER, Order()), Unique(("email",)), unlimited_budget()
    assert ids(repository.page(query, budget).items) == ["m1"]
    assert repository.find_by_unique(USER, unique, {"email": "x"}, budget) == source.found
    assert source.asked == [query, (unique, {"email": "x"})]
    assert repository.known_size(USER, 10) is None


def test_objects_of_sources_leave_no_tombstones(repository: Repository) -> None:
    assert repository.tombstones([user("m1"), NOTE, user("none")]) == [None] * 3


def test_roles_to_sources_are_always_where_the_model_expects_them(repository: Repository) -> None:
    repository.check_role(CREATOR)
    assert repository.known_since(CREATOR) == 0


def equal(attribute: str, value: str) -> Comparison:
    return Comparison(attribute, Operator.EQ, value)


def test_the_store_gets_marks_instead_of_roles_to_sources() -> None:
    text = equal("text", "a")
    direct = RoleFilter(CREATOR, equal("email", "x"))
    nested = RoleFilter(RoleName("Note", "other"), Not(direct))
    plain = RoleFilter(RoleName("Note", "other"), text)
    queries = StoredQueries(with_users(MODEL), {USER})

    def stored(filter_: Filter | None) -> Filter | None:
        return queries.stored_query(Query("Note", Order(), filter_)).filter

    marks = FlagFilter(direct.mark), Not(FlagFilter(nested.mark))
    assert stored(And((text, Or((direct, Not(nested), plain))))) == And((text, Or((*marks, plain))))
    assert stored(And((text, plain))) == And((text, plain))
    assert stored(None) is None
    implied = And((text, Or((direct, plain))))
    query = queries.stored_query(Query("Note", Order(), implied=implied, implied_by_grants=nested))
    assert (query.implied, query.implied_by_grants) == (text, None)
