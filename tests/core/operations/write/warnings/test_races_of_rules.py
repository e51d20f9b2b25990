"""Blocking warnings over several objects hold for concurrent writes, because writes claim these objects."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from stratabase.core import waiting
from stratabase.core.domain.issues.issue import IssueType
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.write.commands import Command, ToManyCommand
from stratabase.core.operations.context import Services
from stratabase.core.operations.write import warnings
from stratabase.core.operations.write.claims import Claims, find_claims
from stratabase.core.operations.write.load import StateReaders
from stratabase.core.operations.write.services import restore
from stratabase.core.store.engine.port import Engine
from tests.contract.engine.engine_calls import run_concurrently
from tests.contract.engine.engines import DISTANT, STORING, engine_fixture
from tests.contract.engine.reference import ReferenceEngine
from tests.core.operations.write.interfering_engine import InterferingEngine
from tests.core.operations.write.warnings.bank import BANK, Bank, filled, violations
from tests.fakes import ADMINISTRATOR
from tests.graphs.commands import add, create, create_command, delete_command, do, point, update_command
from tests.graphs.processes import process
from tests.soak import FULL, count, mostly

ROUNDS = count(3, 2000)
WRITERS = 8

Act = Callable[[Services], Any]
engine = engine_fixture(mostly(STORING, "dynamodb-ministack"))


def doing(command: Command) -> Act:
    return lambda services: do(services, command)


def update(bank: Bank, name: str, class_name: str, /, **asked: Any) -> Act:
    return doing(update_command(class_name, bank.ids[name], **asked))


def booking(bank: Bank, amount: int) -> Act:
    return doing(create_command("Booking", amount=amount, account=point(bank.ids["account"])))


def two_bookings(bank: Bank) -> Sequence[Act]:
    return [booking(bank, -30)] * 2


def a_change_and_a_booking(bank: Bank) -> Sequence[Act]:
    return [update(bank, "gain", "Booking", amount=70), booking(bank, -30)]


def a_deletion_and_a_booking(bank: Bank) -> Sequence[Act]:
    bonus = bank.make("bonus", "Booking", amount=20, account=point(bank.ids["account"]))
    return [doing(delete_command("Booking", bonus)), booking(bank, -50)]


def a_move_and_a_booking(bank: Bank) -> Sequence[Act]:
    bank.make("bonus", "Booking", amount=20, account=point(bank.ids["account"]))
    return [update(bank, "bonus", "Booking", account=point(bank.ids["saving"])), booking(bank, -50)]


def a_move_from_the_other_side_and_a_booking(bank: Bank) -> Sequence[Act]:
    bonus = bank.make("bonus", "Booking", amount=20, account=point(bank.ids["account"]))
    return [update(bank, "saving", "Account", bookings=add(bonus)), booking(bank, -50)]


def a_limit_and_a_booking(bank: Bank) -> Sequence[Act]:
    return [update(bank, "account", "Account", credit=-30), booking(bank, -30)]


def a_link_and_a_part_behind_it(bank: Bank) -> Sequence[Act]:
    """Neither of them sees a path from the pool to the part."""
    bank.make("small", "Server")
    return [
        update(bank, "pool", "Pool", servers=add(bank.ids["small"])),
        update(bank, "small", "Server", tasks=create(create_command("Task", cost=3))),
    ]


def two_links(bank: Bank) -> Sequence[Act]:
    for name in ("one", "two"):
        bank.make(name, "Server", tasks=create(create_command("Task", cost=2)))
    return [
        update(bank, "pool", "Pool", servers=add(bank.ids["one"])),
        update(bank, "two", "Server", pools=add(bank.ids["pool"])),
    ]


def a_new_pool_and_a_part(bank: Bank) -> Sequence[Act]:
    server = bank.ids["server"]
    return [
        doing(create_command("Pool", servers=ToManyCommand(add=[server]))),
        update(
            bank,
            "server",
            "Server",
            pools=ToManyCommand(remove=[bank.ids["pool"]]),
            tasks=create(create_command("Task", cost=3)),
        ),
    ]


def a_new_object_and_what_it_reads(bank: Bank) -> Sequence[Act]:
    grade = bank.ids["other grade"]
    return [
        doing(create_command("Employee", salary=10, grade=point(grade))),
        update(bank, "other grade", "Grade", highest=9),
    ]


def a_partner_and_its_value(bank: Bank) -> Sequence[Act]:
    bank.make("small", "User", height=105)
    return [
        update(bank, "small", "User", desk=point(bank.ids["other desk"])),
        update(bank, "other desk", "Desk", height=104),
    ]


def a_one_way_role_and_its_target(bank: Bank) -> Sequence[Act]:
    tariff = bank.make("cheap", "Tariff", highest=10)
    return [
        doing(create_command("Basket", price=10, tariff=point(tariff))),
        update(bank, "cheap", "Tariff", highest=9),
    ]


def a_restoration_and_a_key_that_leads_there(bank: Bank) -> Sequence[Act]:
    """While the account is deleted, its bookings still lead to it."""
    account = bank.reference("account", "Account")
    bank.write(delete_command("Account", account.id))
    (tombstone,) = bank.services.entities.tombstones([account])
    assert tombstone is not None
    readings = [tombstone.previous_start]
    return [
        lambda services: restore(services, account, readings, ADMINISTRATOR),
        update(bank, "gain", "Booking", amount=50),
    ]


PAIRS = {
    each.__name__: each
    for each in (
        two_bookings,
        a_change_and_a_booking,
        a_deletion_and_a_booking,
        a_move_and_a_booking,
        a_move_from_the_other_side_and_a_booking,
        a_limit_and_a_booking,
        a_link_and_a_part_behind_it,
        two_links,
        a_new_pool_and_a_part,
        a_new_object_and_what_it_reads,
        a_partner_and_its_value,
        a_one_way_role_and_its_target,
        a_restoration_and_a_key_that_leads_there,
    )
}
each_pair = pytest.mark.parametrize("prepare", PAIRS.values(), ids=PAIRS)
each_order = pytest.mark.parametrize("is_reversed", [False, True], ids=["in order", "reversed"])


def overtake(engine: Engine, prepare: Callable[[Bank], Sequence[Act]], *, is_reversed: bool) -> None:
    """Run one write of a pair when the other is about to commit. Raises Refused if the other is refused."""
    bank = filled(process(engine, BANK))
    acts = prepare(bank)
    assert violations(bank.services) == []
    slow, fast = reversed(acts) if is_reversed else acts
    interfering = InterferingEngine(engine)

    def interfere(_: int) -> None:
        interfering.calm()
        fast(bank.services)

    interfering.before = interfere
    slow(process(interfering, BANK))


@pytest.mark.parametrize("engine", mostly(STORING, "dynamodb-ministack", "sqlite"), indirect=True)
@each_order
@each_pair
def test_a_write_that_is_overtaken_is_tested_again(
    engine: Engine, prepare: Callable[[Bank], Sequence[Act]], is_reversed: bool
) -> None:
    with pytest.raises(Refused) as refusal:
        overtake(engine, prepare, is_reversed=is_reversed)

    assert {issue.type for issue in refusal.value.issues} == {IssueType.ENTITY_DOMAIN}
    assert violations(process(engine, BANK)) == []


@each_order
@each_pair
def test_without_claims_it_would_break_the_rule(
    prepare: Callable[[Bank], Sequence[Act]], is_reversed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So the test above finds it if a write claims too little."""
    take_out_claims(monkeypatch)
    engine = ReferenceEngine()

    overtake(engine, prepare, is_reversed=is_reversed)

    assert violations(process(engine, BANK)) != []


def take_out_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_claimed(readers: StateReaders) -> Claims:
        return find_claims(readers)._replace(claimed=())

    monkeypatch.setattr(warnings, "find_claims", without_claimed)


@pytest.fixture(params=DISTANT, ids=lambda kind: kind.name)
def worlds(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Sequence[Services]]:
    """Several processes that share an engine of the product."""
    shared: Engine = request.param.open(tmp_path)
    yield [replace(process(shared, BANK), pause=waiting.pause) for _ in range(WRITERS)]
    shared.close()


def race(worlds: Sequence[Services]) -> tuple[list[str], int]:
    """Let writers withdraw all of one account at the same time. Return the refusals, and the balance."""
    bank = Bank(worlds[0])
    account = bank.make("account", "Account", name="a")
    bank.make("gain", "Booking", amount=100, account=point(account))
    withdrawal = create_command("Booking", amount=-100, account=point(account))

    def withdraw(services: Services) -> list[str]:
        try:
            do(services, withdrawal)
        except Refused as refusal:
            return [str(issue.message) for issue in refusal.issues]
        return []

    outcomes = run_concurrently(*(partial(withdraw, services) for services in worlds))
    return [message for each in outcomes for message in each], 100 - 100 * outcomes.count([])


@pytest.mark.soak
def test_one_of_eight_concurrent_writers_is_done(worlds: Sequence[Services]) -> None:
    for _ in range(ROUNDS):
        assert race(worlds) == (["Overdrawn."] * (WRITERS - 1), 0)


@pytest.mark.soak
@pytest.mark.skipif(not FULL, reason="it depends on chance")
def test_without_claims_the_race_breaks_the_rule(
    worlds: Sequence[Services], monkeypatch: pytest.MonkeyPatch
) -> None:
    take_out_claims(monkeypatch)

    assert any(race(worlds)[1] < 0 for _ in range(30))
