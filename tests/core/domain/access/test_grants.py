"""The access of a profile: the classes, attributes and roles that it may read, fully or partly."""

import pytest

from stratabase.core.domain.access.grants import Access, access_of
from stratabase.core.model.model import Action
from stratabase.core.model.reading import read_model
from tests.core.schema.grants.guild_api import GUILD
from tests.models import THINGS
from tests.rows import each_row


@each_row("profile", ["Administrator", "Manager", None])
def test_administrators_full_access_and_the_service_itself_are_unrestricted(profile: str | None) -> None:
    assert access_of(GUILD, profile) is None


def test_a_profile_that_the_model_does_not_have_may_do_nothing() -> None:
    access = access_of(THINGS, "whoever")
    assert access is not None
    assert access.allows_nothing


SHOP = """
extend schema @application(name: "Shop") @profile(name: "Administrator", administrator: true)
  @profile(name: "Member"{access})
type Order {{ number: Int  price: Int{narrowed}  lines: [Line!] @composition }}
type Line {{ text: String }}
type Customer{granted} {{ name: String }}
"""
ALL = frozenset(Action)
READ = frozenset({Action.READ})


def _shop(access: str = "", granted: str = "", narrowed: str = "") -> Access | None:
    grant = ' @grant(profile: "Member", allow: [{}])'
    return access_of(
        read_model(
            SHOP.format(
                access=access and f", access: {access}",
                granted=granted and grant.format(granted.removeprefix("-")),
                narrowed=narrowed and grant.format(narrowed.removeprefix("-")),
            ),
            "shop.graphql",
        ),
        "Member",
    )


@each_row(
    ("access", "granted", "orders", "customers"),
    [
        ("", "", frozenset[Action](), frozenset[Action]()),
        ("NONE", "READ", frozenset[Action](), READ),
        ("READ", "", READ, READ),
        ("READ", "READ, CREATE, EDIT, DELETE", READ, ALL),
        ("READ", "-", READ, frozenset[Action]()),
        ("FULL", "READ", ALL, READ),
        ("FULL", "-", ALL, frozenset[Action]()),
    ],
)
def test_access_decides_where_no_grant_names_the_profile(
    access: str, granted: str, orders: frozenset[Action], customers: frozenset[Action]
) -> None:
    found = _shop(access, granted)
    assert found is not None
    assert found.class_permission("Order").actions == orders
    assert found.class_permission("Customer").actions == customers
    assert found.allows_nothing is not bool(orders | customers)
    # A part follows its whole.
    assert found.follows_whole("Line")
    assert found.may_read_class("Line") is (Action.READ in orders)


def test_full_access_without_grants_is_unrestricted() -> None:
    assert _shop("FULL") is None


def test_a_grant_on_an_attribute_alone_narrows_access() -> None:
    access = _shop("FULL", narrowed="-")
    assert access is not None
    assert access.class_permission("Order").actions == ALL
    assert access.read_obstacle("Order", "price") == "Order.price"
    assert access.read_obstacle("Order", "number") is None


def test_the_access_of_a_profile_is_built_once_for_a_model() -> None:
    assert access_of(GUILD, "Member") is access_of(GUILD, "Member")
    assert access_of(GUILD, "Scribe") is not access_of(GUILD, "Member")


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


HALL = """
extend schema @application(name: "Hall") @profile(name: "Administrator", administrator: true)
  @profile(name: "Member", access: READ)
type Room {{ size: Int{size}  lamps: [Lamp!] @composition }}
type Stage {{ lamps: [Lamp!]{stage} @composition }}
type Lamp {{ text: String }}
type Guest{guest} {{ name: String }}
"""


@pytest.mark.parametrize(
    ("grants", "expected"),
    [
        ({}, True),
        ({"size": ""}, True),
        ({"guest": ""}, True),
        ({"size": 'READ], where: "size > 1"'}, False),
        ({"guest": "READ], where: \"name == 'a'\""}, False),
        ({"stage": ""}, False),
    ],
    ids=[
        "nothing else",
        "a hidden attribute",
        "a closed class",
        "an attribute of some objects",
        "some objects",
        "parts of some wholes",
    ],
)
def test_an_access_without_conditions_shows_the_same_of_every_object(
    grants: dict[str, str], expected: bool
) -> None:
    texts = {
        name: f' @grant(profile: "Member", allow: [{grant}{"" if grant else "]"})'
        for name, grant in grants.items()
    }
    model = read_model(HALL.format(**{"size": "", "stage": "", "guest": "", **texts}), "hall.graphql")
    access = access_of(model, "Member")
    assert access is not None
    assert access.is_unconditional is expected
