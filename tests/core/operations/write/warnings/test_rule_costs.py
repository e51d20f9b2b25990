"""Costs of rules over several objects: round trips and DynamoDB capacity units (objects of at most 1 KB)."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from stratabase.core.domain.query.read_budget import Consumption
from stratabase.core.domain.write.commands import Command
from stratabase.core.model.model import Model
from stratabase.core.store.engine.wrappers import MeteredEngine
from stratabase.core.store.repository import Repository
from tests.contract.engine.reference import ReferenceEngine
from tests.core.operations.write.warnings.bank import BANK, Bank, filled
from tests.core.store.cost import Cost, cost_of
from tests.fakes import fake_services
from tests.graphs.commands import create_command, delete_command, point, update_command

pytestmark = pytest.mark.usefixtures("lasting_registry")


def with_account(*, blocking: bool | None) -> Model:
    """Return the bank whose rule about accounts blocks, or does not, or is missing."""
    account = BANK.classes["Account"]
    rules = () if blocking is None else tuple(replace(each, blocking=blocking) for each in account.warnings)
    return replace(BANK, classes={**BANK.classes, "Account": replace(account, warnings=rules)})


def costs(make: Callable[[Bank], Command], *, blocking: bool | None) -> Cost:
    """Return the cost of a command on an account with two bookings."""
    model, told = with_account(blocking=blocking), list[Consumption]()
    metered = MeteredEngine(ReferenceEngine(), lambda: told.append)
    services, _, _ = fake_services(model)
    bank = filled(replace(services, entities=Repository(metered, model)))
    command = make(bank)
    told.clear()
    bank.write(command)
    return cost_of(told)


COSTS: dict[str, tuple[Callable[[Bank], Command], Cost, Cost, Cost]] = {
    "a new booking": (
        lambda b: create_command("Booking", amount=5, account=point(b.ids["account"])),
        Cost(1, 0, 7),
        Cost(4, 4, 7),
        Cost(4, 4, 7),
    ),
    "a changed amount": (
        lambda b: update_command("Booking", b.ids["gain"], amount=105),
        Cost(2, 1, 5),
        Cost(2, 1, 5),
        Cost(5, 4, 7),
    ),
    "a deleted booking": (
        lambda b: delete_command("Booking", b.ids["loss"]),
        Cost(2, 1, 11),
        Cost(2, 1, 11),
        Cost(5, 4, 13),
    ),
    "another attribute": (
        lambda b: update_command("Booking", b.ids["gain"], text="x"),
        Cost(2, 1, 5),
        Cost(2, 1, 5),
        Cost(2, 1, 5),
    ),
    "an object on which no rule depends": (
        lambda _: create_command("Note", text="x"),
        Cost(1, 0, 2),
        Cost(1, 0, 2),
        Cost(1, 0, 2),
    ),
}


@pytest.mark.parametrize(("make", "without", "passing", "blocking"), COSTS.values(), ids=COSTS)
def test_a_rule_costs_what_its_condition_reads_and_one_item_for_each_claim(
    make: Callable[[Bank], Command], without: Cost, passing: Cost, blocking: Cost
) -> None:
    assert costs(make, blocking=None) == without
    assert costs(make, blocking=False) == passing
    assert costs(make, blocking=True) == blocking
