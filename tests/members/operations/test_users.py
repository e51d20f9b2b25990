"""The members as objects: in batches, within the read budget, and apart from the stored objects."""

import pytest

from stratabase.core.domain.issues.refusals import ReadBudgetExceeded
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.domain.query.filter import And, Comparison, Filter, FlagFilter, Not, Or, RoleFilter
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import PageFields, Query, Window
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.model.member_names import RecordedMember
from stratabase.core.model.model import Profile
from stratabase.core.model.reading import read_model
from stratabase.core.model.types.operators import Operator
from stratabase.core.model.users import USER, USER_ATTRIBUTES, with_users
from stratabase.members.member import MailedLink, Member
from stratabase.members.operations.renamed_profiles import with_present_profiles
from stratabase.members.operations.users import UserRepository, user_state
from tests.fakes import DictEntities, unlimited_budget
from tests.in_memory_members import BATCH_SIZE, InMemoryMembers

MODEL = read_model(
    'extend schema @application(name: "Hr") '
    "type Note @class(platform: [CREATED_BY, LAST_MODIFIED_ON]) { text: String } type Plain { x: Int }",
    "m",
)
MEMBERS = [Member(f"m{number}", f"name{number}", f"{number}@example.com", "Clerk") for number in range(10)]
NOTE = Entity(Reference("Note", "n1"), {"_id": "n1", "text": "a"}, ("c",))
SECRETS = Member(
    "m1",
    "anna",
    "anna@example.com",
    "Clerk",
    password="the hash",
    generation=77,
    reset=MailedLink("reset secret", 7777),
    pending_email="pending@example.com",
    confirmation=MailedLink("confirmation secret", 7777),
)


class Users:
    """A repository of notes and members, which counts reads of members."""

    def __init__(self, *members: Member) -> None:
        self.members = InMemoryMembers(*(members or MEMBERS))
        self.entities = DictEntities(MODEL)
        self.entities.objects[NOTE.reference] = NOTE
        self.repository = UserRepository(self.entities, lambda: self.members, with_users(MODEL))

    def ids(self, filter_: Filter | None = None, budget: ReadBudget | None = None) -> list[str]:
        """Return the ids of the users that match a filter."""
        query = Query(USER, Order(), filter_, Window(100))
        page = self.repository.page(query, budget or unlimited_budget())
        return [each.reference.id for each in page.items]


def user(id_: str) -> Reference:
    return Reference(USER, id_)


def equal(attribute: str, value: str) -> Comparison:
    return Comparison(attribute, Operator.EQ, value)


def test_a_state_has_nothing_secret() -> None:
    state = user_state(SECRETS)
    assert list(state) == ["_id", *USER_ATTRIBUTES]
    assert not [value for value in state.values() if "secret" in str(value) or "pending" in str(value)]
    assert not {"the hash", 77, 7777} & {*state.values()}


def test_reads_without_users_ask_no_members() -> None:
    users = Users()
    assert users.repository.read([NOTE.reference]) == users.entities.read([NOTE.reference])
    assert users.repository.page(Query("Note", Order()), unlimited_budget()).items == (NOTE,)
    assert users.members.reads == 0


def test_users_leave_no_tombstones() -> None:
    users = Users()
    assert users.repository.tombstones([user("m1"), NOTE.reference, user("none")]) == [None] * 3
    users.repository.check_role(RoleName("Note", "_createdby_user"))


@pytest.mark.parametrize(
    ("name", "written", "expected"),
    [
        ("anna", 2_000_000_000_000, True),
        ("ANNA", 2_000_000_000_000, True),
        ("anna", 1_000_000_000_000, False),
        ("anna", None, False),
        ("bert", 2_000_000_000_000, False),
    ],
    ids=["later", "another case", "before the member", "unknown time", "another name"],
)
def test_a_recorded_name_means_a_member_who_is_older(name: str, written: int | None, expected: bool) -> None:
    generated = "06h0591rh9cjbrhjuu6ae1f0ok"  # created in 2025
    users = Users(Member(generated, "anna", "anna@example.com", "Clerk"))
    key = RecordedMember(name, written)
    (found,) = users.repository.read([user(key)])
    assert (found is not None) is expected
    # A client that sends the text of the key finds nobody.
    assert users.repository.read([user(str(key))]) == [None]


@pytest.mark.parametrize("attribute", ["_id", "username", "email"])
def test_a_unique_value_finds_its_member_without_reading_the_others(attribute: str) -> None:
    users = Users()
    wanted = user_state(MEMBERS[7])[attribute]
    for filter_ in (equal(attribute, wanted), And((equal("profile", "Clerk"), equal(attribute, wanted)))):
        before = users.members.reads
        assert users.ids(filter_) == ["m7"]
        assert users.members.reads == before + 1
    assert users.ids(equal(attribute, "nothing")) == []
    assert users.ids(And((equal(attribute, wanted), equal("profile", "Boss")))) == []


def test_other_filters_read_all_members() -> None:
    users = Users()
    assert users.ids(equal("profile", "Clerk")) == [each.id for each in MEMBERS]
    assert users.members.reads == -(-len(MEMBERS) // BATCH_SIZE)


def test_a_page_has_only_the_fields_that_are_selected() -> None:
    users = Users()
    fields = PageFields(items=False, total_count=True)
    page = users.repository.page(Query(USER, Order(), fields=fields), unlimited_budget())
    assert (page.items, page.total_count, page.has_next, page.has_prev) == ((), 10, None, None)


def test_the_budget_stops_a_search_after_a_batch() -> None:
    users = Users()
    budget = ReadBudget(BATCH_SIZE * 500, 1, clock=lambda: 0.0)
    with pytest.raises(ReadBudgetExceeded) as refusal:
        users.ids(budget=budget)
    assert (refusal.value.class_name, refusal.value.objects_read) == (USER, 2 * BATCH_SIZE)
    with pytest.raises(ReadBudgetExceeded):
        users.repository.read([user("m1")], budget)
    assert users.members.reads <= 3


def test_the_store_gets_marks_instead_of_roles_to_users() -> None:
    users = Users()
    name, text = RoleName("Note", "_createdby_user"), equal("text", "a")
    direct = RoleFilter(name, equal("email", "x"))
    nested = RoleFilter(RoleName("Note", "other"), Not(direct))
    plain = RoleFilter(RoleName("Note", "other"), text)
    asked: list[Query] = []
    users.entities.page = lambda query, *_: asked.append(query)  # type: ignore[method-assign, assignment]
    for filter_ in (And((text, Or((direct, Not(nested), plain)))), And((text, plain)), None):
        users.repository.page(Query("Note", Order(), filter_), unlimited_budget())
    implied = And((text, Or((direct, plain))))
    users.repository.page(
        Query("Note", Order(), implied=implied, implied_by_grants=nested), unlimited_budget()
    )
    assert (asked[-1].implied, asked.pop().implied_by_grants) == (text, None)
    marks = FlagFilter(direct.mark), Not(FlagFilter(nested.mark))
    expected = [And((text, Or((*marks, plain)))), And((text, plain)), None]
    assert [query.filter for query in asked] == expected


def test_a_profile_has_its_present_name() -> None:
    users = Users()
    profiles = {"Agent": Profile("Agent", renamed_from="Clerk")}
    members = with_present_profiles(users.members, profiles)
    repository = UserRepository(users.entities, lambda: members, with_users(MODEL))
    page = repository.page(Query(USER, Order(), equal("profile", "Agent")), unlimited_budget())
    assert len(page.items) == 10
    (found,) = repository.read([user("m1")])
    assert found is not None
    assert found.state["profile"] == "Agent"
