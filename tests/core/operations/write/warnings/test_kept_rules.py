"""Blocking warnings over several objects: every object whose condition a write can change is tested."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stratabase.core.domain.issues.issue import IssueType, Level
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.change import Change
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.write.commands import Command, ToManyCommand
from stratabase.core.model.dependencies import MAX_DEPENDENTS
from stratabase.core.model.reading import read_model
from stratabase.core.operations.write.services import restore
from stratabase.core.store.renamed_repository import open_repository
from tests.contract.engine.reference import ReferenceEngine
from tests.core.operations.write.warnings.bank import BANK, Bank, filled, violations
from tests.fakes import ADMINISTRATOR, fake_services
from tests.graphs.commands import (
    add,
    create,
    create_command,
    delete,
    delete_command,
    point,
    remove,
    update,
    update_command,
)
from tests.graphs.processes import process
from tests.rows import each_row

TELLER = replace(ADMINISTRATOR, id="m2", username="tom", profile="Teller", administrator=False)
CLERK = replace(TELLER, profile="Clerk")
Make = Callable[[Bank], Command]


@pytest.fixture
def bank() -> Bank:
    return filled(fake_services(BANK)[0])


def of(bank: Bank, name: str, class_name: str, /, **asked: Any) -> Command:
    """Return the update of an object by its short name."""
    return update_command(class_name, bank.ids[name], **asked)


BREAKING: dict[str, tuple[Make, str, str, str]] = {
    "an object that leads to it is created": (
        lambda b: create_command("Booking", amount=-50, account=point(b.ids["account"])),
        "Overdrawn.",
        "account",
        "data.account",
    ),
    "one leads to another now": (
        lambda b: of(b, "gain", "Booking", account=point(b.ids["saving"])),
        "Overdrawn.",
        "account",
        "data.account",
    ),
    "one leads to it now": (
        lambda b: of(b, "free", "Booking", account=point(b.ids["account"])),
        "Overdrawn.",
        "account",
        "data.account",
    ),
    "another takes one": (
        lambda b: of(b, "saving", "Account", bookings=add(b.ids["gain"])),
        "Overdrawn.",
        "account",
        "data.bookings",
    ),
    "a part of what it leads to is created": (
        lambda b: of(b, "server", "Server", tasks=create(create_command("Task", cost=3))),
        "Overloaded.",
        "pool",
        "data",
    ),
    "one is changed": (
        lambda b: of(
            b,
            "server",
            "Server",
            tasks=update(update_command("Task", b.parts("server", "Server", "tasks")[0], cost=7)),
        ),
        "Overloaded.",
        "pool",
        "data.tasks.update.0",
    ),
    "it is linked from the other side": (
        lambda b: of(b, "spare", "Server", pools=add(b.ids["pool"])),
        "Overloaded.",
        "pool",
        "data.pools",
    ),
    "another leads to it": (
        lambda b: of(b, "other grade", "Grade", employees=add(b.ids["employee"])),
        "Paid too much.",
        "employee",
        "data.employees",
    ),
    "another becomes its partner": (
        lambda b: of(b, "tall", "User", desk=point(b.ids["other desk"])),
        "Too low.",
        "other desk",
        "data.desk",
    ),
    "a one-way role leads to more": (
        lambda b: of(b, "basket", "Basket", goods=add(b.ids["other good"])),
        "Too heavy.",
        "basket",
        "data",
    ),
    "the key of a singleton leads to it": (
        lambda b: of(b, "source", "Source", water=9),
        "Flooded.",
        "mill",
        "data",
    ),
}


@pytest.mark.parametrize(("make", "message", "name", "path"), BREAKING.values(), ids=BREAKING)
def test_a_write_that_makes_the_condition_of_another_object_true_is_refused(
    bank: Bank, make: Make, message: str, name: str, path: str
) -> None:
    class_name = next(
        each for each, kind in BANK.classes.items() if any(one.message == message for one in kind.warnings)
    )
    id_ = bank.ids.get(name, "1")

    assert bank.refusals(make(bank), force=True) == [(message, class_name, id_, path)]
    assert violations(bank.services) == []


ALLOWED: dict[str, Make] = {
    "a smaller amount": lambda b: of(b, "gain", "Booking", amount=60),
    "another attribute": lambda b: of(b, "gain", "Booking", text="new"),
    "the deletion of what weighs down": lambda b: delete_command("Booking", b.ids["loss"]),
    "the deletion of the object": lambda b: delete_command("Account", b.ids["account"]),
    "the deletion of what it leads to": lambda b: delete_command("Server", b.ids["server"]),
    "the deletion of a part": lambda b: of(
        b, "server", "Server", tasks=delete(b.parts("server", "Server", "tasks")[0])
    ),
    "an exchange": lambda b: of(
        b, "pool", "Pool", servers=ToManyCommand(add=[b.ids["spare"]], remove=[b.ids["server"]])
    ),
    "a higher limit": lambda b: of(b, "grade", "Grade", highest=101),
    "another tariff": lambda b: of(b, "tariff", "Tariff", highest=101),
    "a new object within its limit": lambda b: create_command(
        "Account", name="new", bookings=add(b.ids["gain"], b.ids["loss"])
    ),
}


@pytest.mark.parametrize("make", ALLOWED.values(), ids=ALLOWED)
def test_other_writes_are_done(bank: Bank, make: Make) -> None:
    assert bank.refusals(make(bank)) == []
    assert violations(bank.services) == []


def test_parts_are_tested_when_their_whole_changes(bank: Bank) -> None:
    part = bank.parts("order", "Order", "lines")[0]

    assert bank.refusals(of(bank, "order", "Order", limit=99)) == [
        ("Over the limit.", "Line", part, "data"),
    ]


def test_a_blocking_issue_cannot_be_forced(bank: Bank) -> None:
    with pytest.raises(Refused) as refusal:
        bank.write(of(bank, "gain", "Booking", amount=0), force=True)

    (issue,) = refusal.value.issues
    assert (issue.type, issue.level) == (IssueType.ENTITY_DOMAIN, Level.ERROR)


def test_a_restoration_is_tested(bank: Bank) -> None:
    services = bank.services
    loss = bank.reference("loss", "Booking")
    bank.write(delete_command("Booking", loss.id))
    bank.change("gain", "Booking", amount=50)
    (tombstone,) = services.entities.tombstones([loss])
    assert tombstone is not None

    with pytest.raises(Refused, match="Overdrawn") as refusal:
        restore(services, loss, [tombstone.previous_start], ADMINISTRATOR)

    assert refusal.value.issues[0].entity_id == bank.ids["account"]


def test_an_object_that_met_the_condition_before_does_not_stop_others(bank: Bank) -> None:
    """Otherwise, nobody could repair it step by step."""
    overdraw(bank)

    assert bank.refusals(of(bank, "loss", "Booking", amount=-150)) == []
    assert violations(bank.services) == [("overdrawn", bank.ids["account"])]
    assert bank.refusals(of(bank, "account", "Account", name="new")) == [
        ("Overdrawn.", "Account", bank.ids["account"], "data")
    ]


def overdraw(bank: Bank) -> None:
    """Leave an account overdrawn, as it was before the model had the warning."""
    entities: Any = bank.services.entities
    reference = bank.reference("loss", "Booking")
    entity = entities.objects[reference]
    entities.objects[reference] = replace(entity, state={**entity.state, "amount": -200})


def test_an_object_that_the_caller_does_not_see_is_not_named(bank: Bank) -> None:
    command = of(bank, "gain", "Booking", amount=0)

    assert bank.refusals(command, TELLER) == [("Overdrawn.", "Account", bank.ids["account"], "data")]
    bank.change("account", "Account", name="closed")
    assert bank.refusals(command, TELLER) == [("Overdrawn.", "Account", None, "data")]


def test_a_class_that_the_caller_does_not_see_is_not_named(bank: Bank) -> None:
    """Clerks may write wheels, and know nothing of the mill."""
    command = of(bank, "wheel", "Wheel", water=11)

    assert bank.refusals(command, CLERK) == [("Flooded.", None, None, "data")]


def commits_of(bank: Bank, command: Command) -> list[Change]:
    entities: Any = bank.services.entities
    before = len(entities.commits)
    bank.write(command, force=True)
    return entities.commits[before:]  # type: ignore[no-any-return]


CLAIMS: dict[str, tuple[Make, list[str]]] = {
    "an object on which no rule depends": (lambda b: create_command("Note", text="x"), []),
    "an attribute on which none depends": (lambda b: of(b, "gain", "Booking", text="x"), []),
    "an object that leads nowhere": (lambda b: create_command("Booking", amount=-5), []),
    "one that begins to lead somewhere": (
        lambda b: create_command("Booking", amount=5, account=point(b.ids["account"])),
        ["account"],
    ),
    "one that leads to another": (
        lambda b: of(b, "loss", "Booking", account=point(b.ids["saving"]), amount=5),
        ["account", "loss", "saving"],
    ),
    "one that is deleted": (lambda b: delete_command("Booking", b.ids["loss"]), ["account", "loss"]),
    "the object itself": (lambda b: of(b, "account", "Account", credit=5), ["account"]),
    "the object, in another attribute": (lambda b: of(b, "account", "Account", name="x"), []),
    "both ends of a link that begins": (
        lambda b: of(
            b, "pool", "Pool", servers=ToManyCommand(add=[b.ids["spare"]], remove=[b.ids["server"]])
        ),
        ["pool", "spare"],
    ),
    "all on the way": (
        lambda b: of(
            b,
            "server",
            "Server",
            tasks=update(update_command("Task", b.parts("server", "Server", "tasks")[0], cost=1)),
        ),
        ["pool", "server", "task"],
    ),
    "what a new object reads": (
        lambda b: create_command("Employee", salary=1, grade=point(b.ids["grade"])),
        ["grade"],
    ),
}


@pytest.mark.parametrize(("make", "expected"), CLAIMS.values(), ids=CLAIMS)
def test_a_write_claims_the_objects_on_the_paths_of_conditions(
    bank: Bank, make: Make, expected: list[str]
) -> None:
    names = {id_: name for name, id_ in bank.ids.items()}
    task = bank.parts("server", "Server", "tasks")[0]

    (change,) = commits_of(bank, make(bank))

    names[task] = "task"
    assert sorted(names[each.reference.id] for each in change.claims) == expected


def test_a_write_may_affect_fifty_objects() -> None:
    bank = Bank(fake_services(BANK)[0])
    grade = bank.make("grade", "Grade", highest=100)
    for number in range(MAX_DEPENDENTS):
        bank.make(f"e{number}", "Employee", salary=1, grade=point(grade))

    assert bank.refusals(of(bank, "grade", "Grade", highest=99)) == []
    bank.make("one more", "Employee", salary=1, grade=point(grade))
    found = bank.refusals(of(bank, "grade", "Grade", highest=98))

    assert found == [("MALFORMED_REQUEST", "Grade", "data")]
    with pytest.raises(Refused, match=r"51 other objects depend on this write. The maximum is 50") as refusal:
        bank.change("grade", "Grade", highest=98)
    assert 'One of the warnings is "paid" of Employee. Write fewer' in refusal.value.message
    with pytest.raises(Refused, match=r"The maximum is 50\. Write fewer objects in one request.$"):
        bank.write(of(bank, "grade", "Grade", highest=98), CLERK)
    assert bank.refusals(delete_command("Grade", grade)) == [("MALFORMED_REQUEST", "Grade", "_id")]


def test_a_deletion_and_a_restoration_that_take_several_commits_are_tested() -> None:
    bank = Bank(process(ReferenceEngine(), BANK))
    few = bank.make("few", "Server", tasks=create(create_command("Task", cost=10)))
    many = bank.make("many", "Server", tasks=create(*[create_command("Task", cost=-1)] * 60))
    bank.change("many", "Server", tasks=create(*[create_command("Task", cost=0)] * 80))
    pool = bank.make("pool", "Pool", servers=add(few, many))
    bank.change("few", "Server", tasks=create(create_command("Task", cost=50)))

    with pytest.raises(Refused, match="Overloaded"):
        bank.write(delete_command("Server", many))

    bank.change("pool", "Pool", servers=remove(few))
    before = claim_of(bank, "Pool", pool)
    bank.write(delete_command("Server", many))
    assert claim_of(bank, "Pool", pool) != before
    reference = Reference("Server", many)
    (tombstone,) = bank.services.entities.tombstones([reference])
    assert tombstone is not None
    restore(bank.services, reference, [tombstone.previous_start], ADMINISTRATOR)
    assert len(bank.parts("many", "Server", "tasks")) == 140
    assert claim_of(bank, "Server", many) is not None


DELETED_TARGETS: dict[str, tuple[Make, str]] = {
    "of the key of a new object": (
        lambda b: create_command("Booking", amount=1, account=point(b.ids["saving"])),
        "data.account",
    ),
    "of a key": (
        lambda b: of(b, "loss", "Booking", account=point(b.ids["saving"])),
        "data.account",
    ),
    "of the other side": (
        lambda b: of(b, "account", "Account", bookings=add(b.ids["free"])),
        "data.bookings",
    ),
    "of a link": (lambda b: of(b, "pool", "Pool", servers=add(b.ids["spare"])), "data.servers"),
    "of a link of a new object": (
        lambda b: create_command("Pool", servers=add(b.ids["server"], b.ids["spare"])),
        "data.servers",
    ),
}


@each_row(("make", "path"), DELETED_TARGETS.values())
def test_a_deleted_object_is_no_target_although_its_tombstone_is_claimed(make: Make, path: str) -> None:
    bank = filled(process(ReferenceEngine(), BANK))
    for class_name, each in (("Account", "saving"), ("Booking", "free"), ("Server", "spare")):
        bank.write(delete_command(class_name, bank.ids[each]))

    ((type_, *_, place),) = bank.refusals(make(bank))

    assert (type_, place) == ("ENTITY_NOT_FOUND", path)


def test_an_object_may_leave_a_deleted_one() -> None:
    """Its key still leads there, so the tombstone is claimed."""
    bank = filled(process(ReferenceEngine(), BANK))
    bank.write(delete_command("Account", bank.ids["account"]))

    assert bank.refusals(of(bank, "gain", "Booking", account=point(bank.ids["saving"]))) == []
    assert bank.refusals(delete_command("Booking", bank.ids["loss"])) == []


def claim_of(bank: Bank, class_name: str, id_: str) -> str | None:
    (entity,) = bank.services.entities.read([Reference(class_name, id_)])
    assert entity is not None
    return entity.claimed


def test_renamed_objects_are_claimed() -> None:
    engine = ReferenceEngine()
    bank = filled(process(engine, BANK))
    text = (Path(__file__).parent / "bank.graphql").read_text()
    renamed = text.replace("Account ", "Client ").replace("Account\n", 'Client @renamed(from: "Account")\n')
    model = read_model(renamed, "bank.graphql")
    new = Bank(replace(process(engine, model), entities=open_repository(engine, model)))
    withdrawal = create_command("Booking", amount=-30, account=point(bank.ids["account"]))

    new.write(withdrawal)

    assert claim_of(bank, "Account", bank.ids["account"]) == claim_of(new, "Client", bank.ids["account"])
    assert new.refusals(withdrawal) == [("Overdrawn.", "Client", bank.ids["account"], "data.account")]


def test_a_singleton_is_claimed_again_and_again_before_it_is_written() -> None:
    bank = Bank(process(ReferenceEngine(), BANK))

    for number in range(3):
        wheel = bank.make(f"w{number}", "Wheel", water=1)
        bank.write(update_command("Mill", "1", wheels=add(wheel)))
        assert claim_of(bank, "Mill", "1") is not None
    source = bank.make("source", "Source", water=3)
    bank.write(update_command("Mill", "1", source=point(source)))

    assert bank.refusals(of(bank, "w1", "Wheel", water=2)) == [("Flooded.", "Mill", "1", "data")]
