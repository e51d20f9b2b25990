"""The access of a profile: the classes, attributes and roles that it may read, fully or partly."""

import pytest

from stratabase.domain.access.grants import access_of
from stratabase.model.reading import read_model
from tests.models import THINGS
from tests.schema.grants.guild_api import GUILD

MEMBER = access_of(GUILD, "Member")


@pytest.mark.parametrize("profile", ["Administrator", "Manager", None])
def test_a_caller_without_a_profile_or_with_an_unnamed_profile_is_unrestricted(profile: str | None) -> None:
    assert access_of(GUILD, profile) is None


def test_a_class_without_grants_is_open_to_every_profile() -> None:
    assert access_of(THINGS, "Member") is None
    assert access_of(THINGS, "whoever") is None


def test_the_access_of_a_profile_is_built_once_for_a_model() -> None:
    assert access_of(GUILD, "Member") is access_of(GUILD, "Member")
    assert access_of(GUILD, "Scribe") is not access_of(GUILD, "Member")


def test_a_profile_reads_classes_granted_to_it_and_parts_through_their_whole() -> None:
    assert MEMBER is not None
    read = {name for name in GUILD.classes if MEMBER.may_read_class(name)}

    assert read == {"Team", "Master", "Work", "Hall", "Plea", "Tool", "Scar", "Task", "Bench"}
    assert {name for name in read if MEMBER.sees_every_object(name)} == {"Team", "Hall", "Plea", "Bench"}


@pytest.mark.parametrize(
    ("class_name", "attribute", "obstacle", "narrowed"),
    [
        ("Master", "_id", None, None),
        ("Master", "name", None, None),
        ("Master", "salary", "Master.salary", None),
        ("Master", "twice", "Master.salary", None),
        ("Master", "title", None, None),
        ("Master", "diary", None, "Master.diary"),
        ("Master", "confession", None, "Master.diary"),
        ("Master", "boss_name", None, None),
        ("Master", "tool_count", None, None),
        ("Master", "_createdby", None, None),
        ("Team", "payroll", "Master.salary", None),
        ("Team", "head_count", None, None),
        ("Team", "vault_code", "Vault", None),
        ("Vault", "code", "Vault", None),
        ("Sin", "label", "Sin", None),
    ],
)
def test_an_attribute_is_readable_only_with_all_its_sources(
    class_name: str, attribute: str, obstacle: str | None, narrowed: str | None
) -> None:
    assert MEMBER is not None
    assert MEMBER.read_obstacle(class_name, attribute) == obstacle
    assert MEMBER.conditional_source(class_name, attribute) == narrowed


def test_a_part_of_several_wholes_is_readable_through_any_of_them() -> None:
    model = read_model(
        """
        extend schema @application(name: "Parts") @profile(name: "Administrator", administrator: true)
          @profile(name: "Member")
        type Open @grant(profile: "Member", allow: [READ]) { parts: [Part!] @composition(whole: "opened") }
        type Closed { parts: [Part!] @composition(whole: "closed")  others: [Other!] @composition }
        type Part { name: String  within: [Part!] @composition(whole: "around") }
        type Other { name: String }
        """,
        "parts.graphql",
    )
    access = access_of(model, "Member")
    assert access is not None

    assert {name for name in model.classes if access.may_read_class(name)} == {"Open", "Part"}
    assert access.sees_every_object("Open")
    assert not access.sees_every_object("Part")


def test_a_grant_on_an_attribute_alone_restricts_a_profile() -> None:
    model = read_model(
        """
        extend schema @application(name: "Parts") @profile(name: "Administrator", administrator: true)
          @profile(name: "Member")
        type Whole { parts: [Part!] @composition }
        type Part { name: String @grant(profile: "Member", allow: []) }
        """,
        "parts.graphql",
    )
    access = access_of(model, "Member")
    assert access is not None

    assert [access.may_read_class(name) for name in model.classes] == [False, False]
