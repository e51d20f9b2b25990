"""Handover of objects to another member, despite concurrent changes."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from stratabase.core.domain.issues.refusals import Forbidden, ReadBudgetExceeded, Unavailable
from stratabase.core.domain.objects.change import Change
from stratabase.core.domain.objects.commit_refusals import Conflict, TooLarge
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.objects.lock import Lock
from stratabase.core.model.member_names import MEMBER_IDS, NOBODY, member_id
from stratabase.core.model.model import Model
from stratabase.core.model.reading import read_model
from stratabase.core.model.types.base import Stored
from stratabase.core.store.ids import TimeOrderedIds
from stratabase.members.member import Member
from stratabase.members.operations.hand_over import FormerMember, From, HandOver, HandOverResult
from stratabase.members.refusals import BadMember, NoSuchMember
from stratabase.values.messages import verbatim
from tests.fakes import NOON, fake_services
from tests.in_memory_members import InMemoryMembers
from tests.members.operations.member_operations import BEA, HERSELF
from tests.soak import count

MODEL = read_model(
    """
    extend schema @application(name: "Work")

    type Task @class(versioned: true, platform: [CREATED_BY, LAST_MODIFIED_BY, OWNED_BY, OWNED_ON]) {
      title: String
      steps: [Step!] @composition
    }
    type Step @class(platform: [OWNED_BY]) { title: String }
    type Desk @class(platform: [OWNED_BY]) { title: String }
    type Free { title: String }
    """,
    "work.graphql",
)
MANY = count(450, 5_000)


def id_of(instant: int) -> str:
    """Return an id that was generated at an instant."""
    return TimeOrderedIds(lambda: instant).new()


ANNA = Member(id_of(NOON), "Anna", "anna@example.com", "Clerk")
BERT = Member(id_of(NOON), "bert", "bert@example.com", "Clerk")


class OwnedObjects:
    """Tasks and desks that members own."""

    def __init__(self, model: Model = MODEL) -> None:
        self.members = InMemoryMembers(ANNA, BERT)
        self.services, self.entities, self.clock = fake_services(model)
        self.clock.instant = NOON + 1_000_000

    def put(self, class_name: str, id_: str, name: str, member: str | None, **state: Stored) -> None:
        """Store an object with an owner, given by name and perhaps by member id."""
        reference = Reference(class_name, id_)
        ids: dict[str, Stored] = {} if member is None else {MEMBER_IDS: {name: member}}
        state = {**state, "_ownedby": name, **ids, "_id": id_}
        self.entities.objects[reference] = Entity(reference, state, ("before",), start=NOON)

    def fill(self, numbers: Iterable[int]) -> None:
        """Store a number of tasks that Anna owns."""
        for number in numbers:
            self.put("Task", f"t{number:05d}", "Anna", ANNA.id)

    def hand_over(
        self, from_: From = ANNA.id, to: str = BERT.id, class_name: str | None = None
    ) -> HandOverResult:
        return HandOver(self.members, lambda: self.services)(BEA, from_, to, class_name)

    def owners(self, class_name: str = "Task") -> dict[str, tuple[Stored, str | None]]:
        """Return the owner of each object, by name and id."""
        return {
            reference.id: (entity.state["_ownedby"], member_id(entity.state, "_ownedby"))
            for reference, entity in sorted(self.entities.objects.items())
            if reference.class_name == class_name
        }


BERTS = ("bert", BERT.id)


@pytest.fixture
def owned() -> OwnedObjects:
    return OwnedObjects()


def test_objects_of_a_member_are_found_by_member_id(owned: OwnedObjects) -> None:
    owned.put("Task", "own", "Anna", ANNA.id)
    owned.put("Task", "as she was called", "Annie", ANNA.id)
    owned.put("Task", "an earlier Anna's", "Anna", "another")
    owned.put("Task", "nobody's", "Anna", NOBODY)
    owned.put("Desk", "desk", "Anna", ANNA.id)

    assert owned.hand_over() == HandOverResult(complete=True, handed_over=3)

    assert owned.owners() == {
        "an earlier Anna's": ("Anna", "another"),
        "as she was called": BERTS,
        "nobody's": ("Anna", NOBODY),
        "own": BERTS,
    }
    assert owned.owners("Desk") == {"desk": BERTS}
    assert owned.hand_over() == HandOverResult(complete=True)


def test_a_handover_is_recorded_as_a_change_by_the_administrator(owned: OwnedObjects) -> None:
    owned.put("Task", "t", "Anna", ANNA.id, _createdby="Anna", title="x")
    owned.hand_over()
    state = owned.entities.objects[Reference("Task", "t")].state
    assert (state["_createdby"], state["_lastmodifiedby"], state["title"]) == ("Anna", "Bea", "x")
    assert state["_ownedon"] == "2020-01-01T12:16:40.000Z" == state["_versionStart"]
    assert [member_id(state, f"_{name}by") for name in ("created", "lastmodified", "owned")] == [
        ANNA.id,
        "b",
        BERT.id,
    ]
    assert len(list(owned.entities.versions(Reference("Task", "t")))) == 2


def test_a_handover_may_be_limited_to_one_class(owned: OwnedObjects) -> None:
    owned.put("Task", "t", "Anna", ANNA.id)
    owned.put("Desk", "d", "Anna", ANNA.id)
    assert owned.hand_over(class_name="Desk") == HandOverResult(complete=True, handed_over=1)
    assert owned.owners()["t"] == ("Anna", ANNA.id)


def test_names_without_an_id_match_a_member_only_on_objects_younger_than_the_member(
    owned: OwnedObjects,
) -> None:
    owned.put("Task", id_of(NOON - 1), "Anna", None)
    young = id_of(NOON + 1)
    owned.put("Task", young, "Anna", None)
    assert owned.hand_over().handed_over == 1
    assert owned.owners()[young] == BERTS


def test_objects_of_a_deleted_member_are_handed_over_by_id_or_name(owned: OwnedObjects) -> None:
    for name in ("a", "b"):
        owned.put("Task", name, "Eve", "id of eve")
    assert owned.hand_over("id of eve", class_name="Task").handed_over == 2
    for name in ("a", "b"):
        owned.put("Task", name, "Eve", "id of eve")
    owned.put("Task", "c", "eve", NOBODY)
    owned.put("Task", "d", "EVE", None)
    assert owned.hand_over(FormerMember("eve")).handed_over == 4


def test_the_name_of_a_former_member_does_not_match_objects_of_present_members(owned: OwnedObjects) -> None:
    """Neither those of who has the name now, nor those of who had it when they were written."""
    owned.put("Task", "earlier", "Anna", "another")
    owned.put("Task", "own", "Anna", ANNA.id)
    owned.put("Task", "bert's", "Anna", BERT.id)
    owned.put("Task", id_of(NOON + 1), "Anna", None)
    assert owned.hand_over(FormerMember("anna")) == HandOverResult(complete=True, handed_over=1)
    assert owned.owners()["earlier"] == BERTS


def test_locked_objects_are_skipped_and_counted(owned: OwnedObjects) -> None:
    owned.fill(range(30))
    lock = Lock("another", "Zoe", owned.clock.instant + 1)
    own = Lock("b", "Bea", owned.clock.instant + 1)
    over = Lock("another", "Zoe", owned.clock.instant)
    owned.entities.locks |= {
        Reference("Task", "t00003"): lock,
        Reference("Task", "t00004"): own,
        Reference("Task", "t00005"): over,
    }
    assert owned.hand_over() == HandOverResult(complete=True, handed_over=29, locked=1)
    assert owned.owners()["t00003"] == ("Anna", ANNA.id)
    owned.clock.instant += 1
    assert owned.hand_over() == HandOverResult(complete=True, handed_over=1)


def test_parts_are_handed_over_except_those_awaiting_purge(owned: OwnedObjects) -> None:
    owned.put("Task", "t", "bert", BERT.id, steps=["s"])
    owned.put("Step", "s", "Anna", ANNA.id, task="t", title="x")
    owned.put("Step", "left", "Anna", ANNA.id, task="gone", title="x")
    back = next(role.name for role in MODEL.classes["Step"].roles.values() if role.whole)
    for id_, whole in (("s", "t"), ("left", "gone")):
        owned.put("Step", id_, "Anna", ANNA.id, **{back: whole})
    assert owned.hand_over() == HandOverResult(complete=True, handed_over=1)
    assert owned.owners("Step") == {"left": ("Anna", ANNA.id), "s": BERTS}


def test_many_are_handed_over_in_small_commits(owned: OwnedObjects) -> None:
    owned.fill(range(MANY))
    assert owned.hand_over() == HandOverResult(complete=True, handed_over=MANY)
    assert set(owned.owners().values()) == {BERTS}
    assert max(len(change.effects) for change in owned.entities.commits) == 20


def test_concurrent_changes_are_kept_and_their_objects_handed_over(owned: OwnedObjects) -> None:
    owned.fill(range(50))
    waiting = [7, 8, 30]

    def another() -> None:
        if waiting:
            reference = Reference("Task", f"t{waiting.pop():05d}")
            before = owned.entities.objects[reference]
            owned.entities.objects[reference] = replace(before, state={**before.state, "title": "new"})

    owned.entities.before_commit = another
    assert owned.hand_over().handed_over == 50
    titled = [each.state for each in owned.entities.objects.values() if each.state.get("title") == "new"]
    assert [state["_ownedby"] for state in titled] == ["bert"] * 3


def test_a_handover_that_timed_out_resumes_when_repeated(owned: OwnedObjects) -> None:
    owned.services = replace(owned.services, bulk=owned.services.bulk._replace(seconds=1))
    owned.fill(range(MANY))
    owned.put("Desk", "d", "Anna", ANNA.id)
    owned.entities.before_commit = lambda: setattr(owned.clock, "instant", owned.clock.instant + 101)

    done, calls = HandOverResult(), 0
    while not done.complete:
        queries = len(owned.entities.queries)
        done, calls = done + owned.hand_over(), calls + 1
        first = owned.entities.queries[queries]
        # What has been looked at is not read again.
        assert (first.window.start is None) is (calls == 1)

    assert done == HandOverResult(complete=True, handed_over=MANY + 1)
    assert calls > 1
    assert owned.hand_over() == HandOverResult(complete=True)
    assert owned.entities.queries[-2].window.start is None


def test_a_checkpoint_expires_after_an_hour(owned: OwnedObjects) -> None:
    owned.services = replace(owned.services, bulk=owned.services.bulk._replace(seconds=0))
    owned.fill(range(300))
    assert owned.hand_over() == HandOverResult(handed_over=200)
    owned.put("Task", "a", "Anna", ANNA.id)
    owned.clock.instant += 3_600_000
    owned.services = replace(owned.services, bulk=owned.services.bulk._replace(seconds=20))
    assert owned.hand_over() == HandOverResult(complete=True, handed_over=101)


def test_large_objects_are_read_in_smaller_pages(owned: OwnedObjects) -> None:
    owned.fill(range(50))
    page = owned.entities.page

    def poor(query, budget, derive=None, related=None):  # type: ignore[no-untyped-def]
        if query.window.size > 20:
            raise ReadBudgetExceeded(query.class_name, 1)
        return page(query, budget, derive, related)

    owned.entities.page = poor  # type: ignore[method-assign]
    assert owned.hand_over().handed_over == 50


def test_a_store_failure_reports_how_many_were_handed_over(owned: OwnedObjects) -> None:
    owned.fill(range(50))

    def fail() -> None:
        if len(owned.entities.commits) == 2:
            raise Unavailable(verbatim("The store is away."), retry_after=5)

    owned.entities.before_commit = fail
    with pytest.raises(
        Unavailable, match=r"^The store is away. Before that, 40 objects were handed over."
    ) as no:
        owned.hand_over()
    assert no.value.retry_after == 5


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"to": "nobody"}, '"to" must be the ID of a member.'),
        ({"to": ANNA.id}, '"to" is the current owner of the objects. Specify another member.'),
        ({"class_name": "Free"}, '"class" must be a class that records owners. Use'),
        ({"class_name": "Tsak"}, "Use Task, Step, or Desk"),
    ],
)
def test_an_invalid_handover_is_refused(owned: OwnedObjects, data: dict[str, str], said: str) -> None:
    with pytest.raises(BadMember, match=said):
        owned.hand_over(**data)


def test_an_id_without_member_or_objects_is_unknown(owned: OwnedObjects) -> None:
    with pytest.raises(NoSuchMember):
        owned.hand_over("nobody")
    assert owned.hand_over() == HandOverResult(complete=True)


def test_only_administrators_hand_over_objects(owned: OwnedObjects) -> None:
    with pytest.raises(Forbidden):
        HandOver(owned.members, lambda: owned.services)(HERSELF, ANNA.id, BERT.id)


def test_an_object_that_cannot_be_written_does_not_block_the_others(owned: OwnedObjects) -> None:
    owned.fill(range(20))
    commit = owned.entities.commit

    def narrow(change: Change) -> None:
        if any(each.after and each.after.reference.id == "t00004" for each in change.object_effects()):
            raise TooLarge(verbatim("Too large."))
        commit(change)

    owned.entities.commit = narrow  # type: ignore[method-assign]
    assert owned.hand_over() == HandOverResult(complete=True, handed_over=19, refused=1)


def test_an_object_with_repeated_conflicts_is_finally_skipped(owned: OwnedObjects) -> None:
    owned.fill([1])
    owned.entities.refuse = Conflict()
    with pytest.raises(Unavailable, match="Concurrent writes to the same object"):
        owned.hand_over()


SQUADS = read_model(
    """
    extend schema @application(name: "Squads")

    type Own @class(platform: [OWNED_BY])
      @warning(name: "m", condition: "_ownedby == 'bert'", message: "Not Bert.", blocking: true)
      @warning(name: "w", condition: "_ownedby != ''", message: "Somebody's.") { name: String }

    type Free @class(platform: [OWNED_BY])
      @warning(name: "w", condition: "_ownedby != ''", message: "Somebody's.") { name: String }

    type Squad @warning(name: "m", condition: "chief._ownedby == 'bert'", message: "No.", blocking: true) {
      chief: Chief @association(opposite: "squad")
    }
    type Chief @class(versioned: true, platform: [OWNED_BY]) {
      squad: Squad @association(opposite: "chief", holds: true)
    }
    """,
    "squads.graphql",
)
CARL = Member(id_of(NOON), "carl", "carl@example.com", "Clerk")


def test_blocking_warnings_are_tested() -> None:
    owned = OwnedObjects(SQUADS)
    owned.members.add(CARL)
    owned.put("Own", "o1", "Anna", ANNA.id)
    owned.put("Free", "f1", "Anna", ANNA.id)
    owned.put("Chief", "leads", "Anna", ANNA.id, squad="s1")
    owned.put("Chief", "leads none", "Anna", ANNA.id)
    squad = Reference("Squad", "s1")
    owned.entities.objects[squad] = Entity(squad, {"_id": "s1"}, ("before",), start=NOON)

    assert owned.hand_over() == HandOverResult(complete=True, handed_over=2, refused=2)

    anna = ("Anna", ANNA.id)
    assert owned.owners("Own") == {"o1": anna}
    assert owned.owners("Free") == {"f1": BERTS}
    assert owned.owners("Chief") == {"leads": anna, "leads none": BERTS}
    assert owned.hand_over(to=CARL.id) == HandOverResult(complete=True, handed_over=2)
    claimed = {each.reference for change in owned.entities.commits for each in change.claims}
    assert claimed == {squad, Reference("Chief", "leads"), Reference("Chief", "leads none")}


def test_a_claim_that_comes_between_is_met_by_another_round() -> None:
    owned = OwnedObjects(SQUADS)
    owned.put("Chief", "leads", "Anna", ANNA.id)
    squad = Reference("Squad", "s1")
    owned.entities.objects[squad] = Entity(squad, {"_id": "s1"}, ("before",), start=NOON)

    def lead() -> None:
        """Another process lets the chief lead the squad, and claims both."""
        owned.entities.before_commit = lambda: None
        reference = Reference("Chief", "leads")
        entity = owned.entities.objects[reference]
        state = {**entity.state, "squad": "s1"}
        owned.entities.objects[reference] = replace(
            entity, state=state, claimed="other", commit_ids=("other",)
        )

    owned.entities.before_commit = lead

    assert owned.hand_over() == HandOverResult(complete=True, refused=1)
    assert owned.owners("Chief") == {"leads": ("Anna", ANNA.id)}
