"""The members as objects: in batches, within the read budget, and apart from the stored objects."""

import pytest

from stratabase.core.domain.issues.refusals import ReadBudgetExceeded
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.query.filter import And, Comparison, Filter
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import PageFields, Query, Window
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.model.member_names import RecordedMember
from stratabase.core.model.model import Profile
from stratabase.core.model.reading import read_model
from stratabase.core.model.types.operators import Operator
from stratabase.core.model.users import USER, USER_ATTRIBUTES
from stratabase.members.member import MailedLink, Member, MemberKind
from stratabase.members.operations.renamed_profiles import with_present_profiles
from stratabase.members.operations.users import UserSource, user_state
from tests.fakes import unlimited_budget
from tests.in_memory_members import BATCH_SIZE, InMemoryMembers
from tests.rows import each_row

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


PROGRAMS = [Member(f"p{n}", f"program{n}", "", "Clerk", kind=MemberKind.PROGRAM) for n in range(2)]


class Users:
    """The members as objects, with a count of the reads of members."""

    def __init__(self, *members: Member) -> None:
        self.members = InMemoryMembers(*(members or MEMBERS))
        self.source = UserSource(lambda: self.members, MODEL)

    def ids(self, filter_: Filter | None = None, budget: ReadBudget | None = None) -> list[str]:
        """Return the ids of the users that match a filter."""
        query = Query(USER, Order(), filter_, Window(100))
        page = self.source.page(query, budget or unlimited_budget(), None)
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


@each_row(
    ("name", "written", "expected"),
    [
        ("anna", 2_000_000_000_000, True),
        ("ANNA", 2_000_000_000_000, True),
        ("anna", 1_000_000_000_000, False),
        ("anna", None, False),
        ("bert", 2_000_000_000_000, False),
    ],
)
def test_a_recorded_name_means_a_member_who_is_older(name: str, written: int | None, expected: bool) -> None:
    generated = "06h0591rh9cjbrhjuu6ae1f0ok"  # created in 2025
    users = Users(Member(generated, "anna", "anna@example.com", "Clerk"))
    key = RecordedMember(name, written)
    (found,) = users.source.read([user(key)], None)
    assert (found is not None) is expected
    # A client that sends the text of the key finds nobody.
    assert users.source.read([user(str(key))], None) == [None]


@each_row("attribute", ["_id", "username", "email"])
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
    page = users.source.page(Query(USER, Order(), fields=fields), unlimited_budget(), None)
    assert (page.items, page.total_count, page.has_next, page.has_prev) == ((), 10, None, None)


def test_the_budget_stops_a_search_after_a_batch() -> None:
    users = Users()
    budget = ReadBudget(BATCH_SIZE * 500, 1, clock=lambda: 0.0)
    with pytest.raises(ReadBudgetExceeded) as refusal:
        users.ids(budget=budget)
    assert (refusal.value.class_name, refusal.value.objects_read) == (USER, 2 * BATCH_SIZE)
    with pytest.raises(ReadBudgetExceeded):
        users.source.read([user("m1")], budget)
    assert users.members.reads <= 3


def test_a_profile_has_its_present_name() -> None:
    users = Users()
    profiles = {"Agent": Profile("Agent", renamed_from="Clerk")}
    members = with_present_profiles(users.members, profiles)
    source = UserSource(lambda: members, MODEL)
    page = source.page(Query(USER, Order(), equal("profile", "Agent")), unlimited_budget(), None)
    assert len(page.items) == 10
    (found,) = source.read([user("m1")], None)
    assert found is not None
    assert found.state["profile"] == "Agent"


def test_programs_have_an_empty_address_and_are_found_by_it() -> None:
    users = Users(*MEMBERS, *PROGRAMS)
    assert user_state(PROGRAMS[0])["email"] == ""
    assert users.ids(Comparison("email", Operator.EQ, "")) == ["p0", "p1"]
    assert users.ids(Comparison("email", Operator.EQ, "1@example.com")) == ["m1"]
