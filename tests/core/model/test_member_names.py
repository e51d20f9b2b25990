"""Member names are equal if they refer to the same member."""

from stratabase.core.model.member_names import (
    MEMBER_IDS,
    NOBODY,
    MemberName,
    member_id,
    member_name,
    with_ids,
    written_at,
)
from stratabase.core.model.types.base import Stored
from stratabase.core.store.ids import TimeOrderedIds
from tests.rows import each_row

DAY = 86_400_000
MONDAY = 1_600_000_000_000
TUESDAY = MONDAY + DAY


def id_of(instant: int) -> str:
    """Return an id that was made at an instant."""
    return TimeOrderedIds(lambda: instant).new()


ADA = MemberName("ada", "m1", MONDAY)


@each_row(
    ("name", "is_ada"),
    [
        (MemberName("ada", "m1"), True),
        (MemberName("what ada was called before", "m1"), True),
        (MemberName("ada", "m2"), False),
        (MemberName("ada", NOBODY), False),
        # Whom the name means is not known: it cannot be a member who was made after it was written.
        (MemberName("ada", None, TUESDAY), True),
        (MemberName("ada", None, MONDAY), True),
        (MemberName("ada", None, MONDAY - 1), False),
        (MemberName("ada", None, None), False),
        (MemberName("bob", None, TUESDAY), False),
    ],
)
def test_a_member_name_equals_the_caller_by_id(name: MemberName, is_ada: bool) -> None:
    assert (name == ADA) is is_ada
    assert (ADA == name) is is_ada  # noqa: SIM300 - both orders
    assert (name != ADA) is not is_ada
    assert (name in (ADA, MemberName("eve", "m3"))) is is_ada


def test_a_member_name_equals_a_plain_text_by_name() -> None:
    name = MemberName("ada", "m1")
    assert name == "ada"
    assert "ada" == name  # noqa: SIM300 - both orders
    assert name != "bob"
    assert name in {"ada", "bob"}
    assert type(str(name)) is str


def test_names_without_ids_are_equal_as_texts() -> None:
    assert MemberName("ada", NOBODY) == MemberName("ada", NOBODY)
    assert MemberName("ada", None, MONDAY) == MemberName("ada", None, TUESDAY)
    assert MemberName("ada", NOBODY) != MemberName("bob", NOBODY)


NOBODY_YET: dict[str, Stored] = {"_createdby": "ada", "_lastmodifiedby": "ada", "_ownedby": "bob"}


@each_row(
    ("ids", "kept"),
    [
        ({}, None),
        ({"_createdby": "1", "_lastmodifiedby": "1", "_ownedby": "2"}, {"ada": "1", "bob": "2"}),
        ({"_lastmodifiedby": "1"}, {"ada": {"_lastmodifiedby": "1"}}),
        (
            {"_createdby": NOBODY, "_lastmodifiedby": "1"},
            {"ada": {"_createdby": NOBODY, "_lastmodifiedby": "1"}},
        ),
        ({"_ownedby": NOBODY}, {"bob": NOBODY}),
    ],
)
def test_ids_are_stored_by_name_if_the_name_refers_to_one_member(
    ids: dict[str, str | None], kept: Stored
) -> None:
    assert with_ids(NOBODY_YET, ids) == kept
    state: dict[str, Stored] = {**NOBODY_YET, MEMBER_IDS: kept}
    assert {name: id_ for name in NOBODY_YET if (id_ := member_id(state, name)) is not None} == ids


def test_ids_of_other_names_are_kept_and_those_of_removed_names_dropped() -> None:
    before: dict[str, Stored] = {**NOBODY_YET, MEMBER_IDS: {"ada": "1", "bob": "2"}}
    assert with_ids({**before, "_ownedby": "eve"}, {"_ownedby": "3"}) == {"ada": "1", "eve": "3"}
    assert with_ids(before, {"_lastmodifiedby": "3"}) == {
        "ada": {"_createdby": "1", "_lastmodifiedby": "3"},
        "bob": "2",
    }


def test_a_name_written_without_an_id_has_none_even_if_others_have() -> None:
    """A service that does not know of ids keeps those that it finds, and writes a name beside them."""
    state: dict[str, Stored] = {"_createdby": "ada", "_lastmodifiedby": "bob", MEMBER_IDS: {"ada": "1"}}
    assert member_id(state, "_lastmodifiedby") is None
    assert member_id(state, "_createdby") == "1"


@each_row(
    ("state", "written"),
    [
        ({"_id": id_of(MONDAY)}, MONDAY),
        ({"_id": id_of(MONDAY), "_createdon": "2020-01-02T03:04:05.678Z"}, 1_577_934_245_678),
        ({"_id": id_of(MONDAY), "_ownedon": "1970-01-01T00:00:01.000Z", "_createdon": "x"}, 1000),
        ({"_id": id_of(MONDAY), "_ownedon": 7, "_createdon": "2020-01-01"}, MONDAY),
        ({"_id": "only one"}, None),
    ],
)
def test_the_time_when_an_owner_was_written_is_known(state: dict[str, Stored], written: int | None) -> None:
    assert written_at(state, "_ownedby") == written


def test_only_a_name_without_an_id_has_a_written_time() -> None:
    state: dict[str, Stored] = {"_id": id_of(MONDAY), "_ownedby": "ada"}
    name = member_name(state, "_ownedby")
    assert name is not None
    assert (name.member_id, name.instant) == (None, MONDAY)
    name = member_name({**state, MEMBER_IDS: {"ada": "m1"}}, "_ownedby")
    assert name is not None
    assert (name.member_id, name.instant) == ("m1", None)
    assert member_name({"_ownedby": 7}, "_ownedby") is None
    assert member_name({}, "_ownedby") is None
