"""Rows can lead to objects that other rows of the same file create, in any order."""

from collections.abc import Iterator
from random import Random

import pytest

from stratabase.transfer.csv.csv_file import CsvRow
from stratabase.transfer.csv.csv_import import ImportOptions
from stratabase.transfer.csv.row_order import Need, RowOrder
from tests.soak import count, seed
from tests.transfer.csv.shop import Shop

SKIPPING = ImportOptions(skips_invalid=True)


def bosses(shop: Shop) -> dict[str, str | None]:
    """Return the email addresses of all people, with those of their bosses."""
    people = shop.objects("Person")
    emails = {each["_id"]: each["email"] for each in people}
    return {each["email"]: emails.get(each.get("boss")) for each in people}


@pytest.mark.parametrize("order", [1, -1])
def test_people_lead_to_bosses_before_and_after_them(shop: Shop, order: int) -> None:
    rows = ["a,b", "b,c", "c,d", "d,", "e,a", "f,f"]
    file = shop.file("\n".join(["email,boss.email", *rows[::order]]))
    assert shop.run(file, "Person").created == 6
    assert bosses(shop) == {"a": "b", "b": "c", "c": "d", "d": None, "e": "a", "f": "f"}


def test_a_tree_of_any_order_is_imported(shop: Shop) -> None:
    random, number = Random(seed()), count(200, 5_000)
    expected = {str(row): str(random.randrange(row)) if row else None for row in range(number)}
    rows = [f"{email},{boss or ''}" for email, boss in expected.items()]
    random.shuffle(rows)
    assert shop.run(shop.file("\n".join(["email,boss.email", *rows])), "Person").created == number
    assert bosses(shop) == expected


def test_other_unique_values_and_spellings_name_a_row_too(shop: Shop) -> None:
    file = shop.file("email,code,boss.code\na,1, 02 \nb,2,\n")
    assert shop.run(file, "Person").created == 2
    assert bosses(shop) == {"a": "b", "b": None}


def test_an_update_leads_to_a_row_that_creates(shop: Shop) -> None:
    shop.add("Person", email="a", code=1)
    file = shop.file("email,code,boss.code\na,1,2\nb,2,1\n")
    assert shop.check(file, "Person", update_by="email").effects == {"created": 1, "updated": 1}
    record = shop.run(file, "Person", update_by="email")
    assert (record.created, record.updated) == (1, 1)
    assert bosses(shop) == {"a": "b", "b": "a"}
    assert shop.check(file, "Person", update_by="email").effects == {"unchanged": 2}


def test_rows_that_lead_to_wrong_rows_are_left_out(shop: Shop) -> None:
    file = shop.file("email,age,boss.email\na,1,b\nb,1,c\nc,-1,\nd,1,\ne,1,x\n")
    assert shop.issues(file, "Person")[0].startswith(
        'line 2, column "boss.email": Line 3, to which it leads, can\'t be imported.'
    )
    checked = shop.check(file, "Person")
    assert (set(checked.refused), checked.to_write, checked.effects) == ({0, 1, 2, 4}, 1, {"created": 1})
    assert shop.run(file, "Person", options=SKIPPING).created == 1
    assert bosses(shop) == {"d": None}


def test_a_circle_of_rows_is_refused_with_the_way_out(shop: Shop) -> None:
    file = shop.file("email,boss.email\na,b\nb,a\nc,a\nd,\n")
    issues = shop.issues(file, "Person")
    assert [issue.split(":")[0] for issue in issues] == [
        f'line {line}, column "boss.email"' for line in (2, 3, 4)
    ]
    assert "lead to each other in a circle" in issues[0]
    without = shop.file("email,boss.email\na,\nb,a\nc,a\nd,\n", "without.csv")
    assert shop.run(without, "Person").created == 4
    assert shop.run(file, "Person", update_by="email").updated == 1
    assert bosses(shop) == {"a": "b", "b": "a", "c": "a", "d": None}


class Halt(Exception):
    """The process ends here."""


def test_an_interrupted_import_goes_on_with_the_rows_that_wait(shop: Shop) -> None:
    number = 20
    expected = {str(row): str(row + 1) if row + 1 < number else None for row in range(number)}
    rows = [f"{email},{boss or ''}" for email, boss in expected.items()]
    file, runs = shop.file("\n".join(["email,boss.email", *rows])), 0
    while True:
        steps = iter(range(4))

        def interrupt(steps: Iterator[int] = steps) -> None:
            if next(steps, None) is None:
                raise Halt

        import_ = shop.prepare(file, "Person", interrupt=interrupt)
        runs += 1
        try:
            record, _ = import_.check(lambda _: None)
            assert import_.write(record, lambda _: None).created == number
        except Halt:
            continue
        break
    assert runs > 3
    assert bosses(shop) == expected


def test_rows_are_released_once_all_that_they_lead_to_have_ended() -> None:
    rows = [CsvRow(number, number + 2, []) for number in range(4)]
    order = RowOrder({0: [Need(2, 4, "a"), Need(3, 5, "b")], 1: [Need(2, 4, "a")]})
    assert [order.hold(row) for row in rows] == [True, True, False, False]
    assert order.release([2]) == [rows[1]]
    assert order.release([3, 2]) == [rows[0]]
    assert order.release_all() == []


def test_what_leads_to_a_refused_row_or_in_a_circle_is_unwritable() -> None:
    def need(number: int) -> Need:
        return Need(number, number + 2, "a")

    order = RowOrder({0: [need(1)], 1: [need(9)], 2: [need(3)], 3: [need(2)], 4: [need(8)], 5: [need(2)]})
    found = sorted(order.unwritable([9]))
    assert [(number, at.number, circle) for number, at, circle in found] == [
        (0, 1, False),
        (1, 9, False),
        (2, 3, True),
        (3, 2, True),
        (5, 2, True),
    ]
