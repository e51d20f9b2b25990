"""The page on costs is what its generator writes, and its arithmetic is right."""

from dataclasses import replace

import pytest

from benchmarks.costs import prices
from benchmarks.costs.bill import (
    AUTHENTICATION,
    LARGE,
    MIX,
    SIGN_INS,
    SMALL,
    Bill,
    by_group,
    dollars,
    times,
    total,
)
from benchmarks.costs.page import _break_even, render
from benchmarks.costs.prices import GROUPS, MILLION, PRICES
from tests.repository import ROOT
from tests.rows import each_row

BILL = Bill()
WRITES = {
    "create": 2,
    "create with a uniqueness": 5,
    "create with a to-one role with an opposite": 7,
    "create with a many-to-many link": 9,
    "create with a one-to-one role": 5 + 2,
    "update, unversioned": 2,
    "update, versioned": 5,
    "delete, versioned": 7,
    "lock one": 1,
    "lock ten": 20,
    "lock a part": 4,
    "a write refused by a lock": 0,
}
"""The write units of the operations on objects in one index."""
READS = {
    "get by id": 1,
    "get with a to-one role": 2,
    "get with three parts": 4,
    "get with a page of 10 of a to-many role": 12,
    "getBy unique": 2,
    "update, unversioned": 1,
    "a write refused by a lock": 1,
    "getVersion": 1.5,
    "getDeletedPage of 10": 20.5,
    "getPage of 10 as of an instant": 11.5,
    "download of 1 MB": 1,
    "get by id with an API key": 1,
    AUTHENTICATION: 1,
}
ROUND_TRIPS = {
    "get by id": 1,
    "get by id with an API key": 1,
    "get with a to-one role": 2,
    "get with a page of 10 of a to-many role": 3,
    "getBy unique": 2,
    "getPage of 50, order and filter on an index": 1,
    "create": 1,
    "create with a uniqueness": 1,
    "update, versioned": 2,
    "delete, versioned": 2,
    "lock ten": 1,
    "lock a part": 2,
    "a write refused by a lock": 1,
    "getVersionPage of 10": 1,
    "getDeletedPage of 10": 3,
    "getPage of 10 as of an instant": 3,
    "to-many role as of an instant": 4,
    AUTHENTICATION: 1,
}
OTHERS = (
    "getPage of 50 without an index, class of 1,000",
    "totalCount, class of 1,000",
    "update of a unique value",
    "update of a to-one role",
    "delete, unversioned",
    "upload of 1 MB",
    "bind (create with that file)",
    "open the console",
    *SIGN_INS,
)


def test_the_page_is_what_its_generator_writes() -> None:
    assert (ROOT / "docs/costs.md").read_text() == render(BILL), "run `make costs`"


def test_every_operation_is_in_both_tables() -> None:
    expected = {*WRITES, *READS, *ROUND_TRIPS, *OTHERS}
    assert set(BILL.rows) == expected
    page = (ROOT / "docs/costs.md").read_text()
    assert {name for name in expected if page.count(f"\n| {name} | ") < 2} == set()


@each_row(
    ("figure", "expected"), {"write_units": WRITES, "read_units": READS, "round_trips": ROUND_TRIPS}.items()
)
def test_the_measured_figures_are_those_of_the_design(figure: str, expected: dict[str, float]) -> None:
    assert {name: BILL.rows[name][figure] for name in expected} == expected


def test_a_million_gets() -> None:
    row = {**BILL.rows["get by id"], "cpu_ms": 2.0, "response_bytes": 600, "log_bytes": 1000}
    usage = times(MILLION, BILL.request(row))
    # With 1,024 of 1,769 MB, 2 ms of CPU take 3.455 ms. A round trip takes 5 ms, and Lambda rounds up.
    assert BILL.billed_ms(row) == 9
    assert by_group(usage) == {
        "Gateway": pytest.approx(3.5),
        "Compute": pytest.approx(0.2 + 9_000 * 0.0000133334),
        "Database": pytest.approx(0.125),
        "Storage": 0,
        "Files": 0,
        "Logs": pytest.approx(1.75 * 0.5),
        "Monitoring and secret": 0,
        "Data out": pytest.approx(0.6 * 0.09),
    }
    assert dollars(usage) == pytest.approx(sum(by_group(usage).values()))


def test_the_waiting_of_an_upload_is_that_of_each_service() -> None:
    row = {**BILL.rows["upload of 1 MB"], "cpu_ms": 0}
    assert BILL.billed_ms(row) == 30 + 5 * (row["round_trips"] - 1)
    assert BILL.request(row)["s3_put"] == 1


def test_authentication_costs_no_request_of_its_own() -> None:
    usage = BILL.request(BILL.rows[AUTHENTICATION])
    assert (usage["api_request"], usage["lambda_request"], usage["log_gb"]) == (0, 0, 0)


def test_appsync_replaces_the_gateway_and_lambda() -> None:
    row = BILL.rows["update, versioned"]
    own, other = BILL.request(row), BILL.appsync_request(row)
    assert other["appsync_operation"] == 1
    assert "lambda_request" not in other
    for name in ("read_unit", "write_unit", "data_out_gb"):
        assert other[name] == own[name]


def test_a_month_is_its_requests_and_what_it_costs_without_any() -> None:
    mixed = total(*(times(share, BILL.request(BILL.rows[name])) for name, share in MIX.items()))
    month = BILL.month(LARGE)
    idle = BILL.idle()
    assert month["api_request"] == pytest.approx(LARGE.requests)
    assert month["write_unit"] == pytest.approx(LARGE.requests * mixed["write_unit"] + idle["write_unit"])
    reads = mixed["read_unit"] + LARGE.uncached * BILL.rows[AUTHENTICATION]["read_units"]
    assert month["read_unit"] == pytest.approx(LARGE.requests * reads + idle["read_unit"])
    assert month["secret_call"] == pytest.approx(LARGE.requests * LARGE.cold)
    assert month["table_gb_month"] == month["pitr_gb_month"] == LARGE.table_gb


def test_a_month_of_containers() -> None:
    usage = BILL.container_month(SMALL, SMALL.container)
    expected = {
        "fargate_vcpu_hour": 730 * 2 * 0.25,
        "fargate_gb_hour": 730 * 2 * 0.5,
        "alb_hour": 730,
        "lcu_hour": 730,
        "ipv4_hour": 730 * 4,
        "db_micro_hour": 730 * 2,
        "db_gb_month": 40,
    }
    assert {name: usage[name] for name in expected} == expected


def test_the_mix_is_complete() -> None:
    assert sum(MIX.values()) == pytest.approx(1)


def test_each_price_is_in_one_line_of_the_bill() -> None:
    assert sorted(name for group in GROUPS.values() for name in group) == sorted(PRICES)


def test_each_price_has_a_date_and_is_on_the_page() -> None:
    page = (ROOT / "docs/costs.md").read_text()
    for price in PRICES.values():
        assert price.seen.startswith("20") or price.seen == prices.UNDATED
        rows = [line.split(" | ") for line in page.splitlines() if line.startswith(f"| {price.service} | ")]
        assert price.dollars in [float(row[1]) for row in rows]


def test_at_the_break_even_both_cost_the_same() -> None:
    month = replace(SMALL, requests=_break_even(BILL, SMALL.container))
    own, other = BILL.month(month), BILL.container_month(month, month.container)
    assert dollars(own) == pytest.approx(dollars(other))
