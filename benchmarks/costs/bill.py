"""What requests and months cost: quantities by the names of prices, computed from measured figures."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import ceil, fsum
from pathlib import Path
from typing import Any

from benchmarks.costs.prices import GROUPS, PRICES

MEASURED = Path(__file__).parent / "measured.json"
GIGABYTE = 1e9
HOURS = 730
"""The hours of a month."""
Usage = Mapping[str, float]
"""Quantities by the names of prices."""
Row = Mapping[str, Any]
"""The measured figures of an operation."""

AUTHENTICATION, UPLOAD, BIND = "authenticating a request", "upload of 1 MB", "bind (create with that file)"
NOT_REQUESTS = (AUTHENTICATION,)
SIGN_INS = (
    "sign in (a token for a password)",
    "renew a token",
    "sign in with a provider: leave",
    "sign in with a provider: come back",
    "exchange a code for a token",
    "exchange an access token",
)
NOT_IN_APPSYNC = (AUTHENTICATION, "get by id with an API key", "open the console", *SIGN_INS)
"""Operations that another service does there."""


@dataclass(frozen=True)
class Assumptions:
    """What isn't measured. Times are in milliseconds."""

    vcpu_megabytes: float = 1769
    """The memory with which a function has one vCPU."""
    cpu_factor: float = 1.0
    """How long a vCPU of Lambda takes for what the measuring machine does in 1 ms."""
    dynamodb_ms: float = 5
    """A round trip to DynamoDB from Lambda, or to Secrets Manager."""
    s3_ms: float = 30
    runtime_log_bytes: int = 300
    """The START, END and REPORT lines that Lambda writes for each request."""
    access_log_bytes: int = 450
    """The line of API Gateway."""
    sweeps: int = 12 * HOURS
    """The runs of the sweep in a month."""


@dataclass(frozen=True)
class Container:
    """A container with PostgreSQL: the size of each task and of the database."""

    vcpus: float
    gigabytes: float
    database: str
    database_gb: float
    tasks: int = 2
    databases: int = 2
    """Two: a standby in another zone, with its own storage."""
    lcus: float = 1


@dataclass(frozen=True)
class Month:
    """A month of a service."""

    name: str
    requests: float
    cold: float
    """The share of the requests that start a process."""
    uncached: float
    """The share of the requests whose member is in no cache."""
    table_gb: float
    files_gb: float
    container: Container


MIX: Mapping[str, float] = {
    "get by id": 0.25,
    "get with a to-one role": 0.15,
    "get with a page of 10 of a to-many role": 0.05,
    "getBy unique": 0.05,
    "getPage of 50, order and filter on an index": 0.25,
    "create with a to-one role with an opposite": 0.06,
    "update, versioned": 0.10,
    "lock one": 0.04,
    UPLOAD: 0.01,
    BIND: 0.01,
    "download of 1 MB": 0.02,
    "sign in (a token for a password)": 0.01,
}
"""The share of each operation in the requests of a month."""
SMALL = Month("small", 100_000, 0.05, 1, 1, 5, Container(0.25, 0.5, "db_micro_hour", 20))
LARGE = Month("large", 100_000_000, 0.001, 0.2, 100, 1_000, Container(1, 2, "db_medium_hour", 200, lcus=3))


@dataclass(frozen=True)
class Bill:
    """The costs of what was measured. `measured` is the content of measured.json."""

    measured: Mapping[str, Any] = field(default_factory=lambda: json.loads(MEASURED.read_text()))
    assumptions: Assumptions = Assumptions()

    @property
    def rows(self) -> Mapping[str, Row]:
        """Return the measured operations by name."""
        return {row["name"]: row for row in self.measured["operations"]}

    def billed_ms(self, row: Row) -> int:
        """Return the milliseconds that Lambda bills for an operation: its CPU time, and its waiting."""
        files = sum(count for name, count in row["calls"].items() if name.startswith("s3:"))
        given = self.assumptions
        waits: float = files * given.s3_ms + max(0, row["round_trips"] - files) * given.dynamodb_ms
        return ceil(self._on_lambda(row["cpu_ms"], row["function"]) + waits)

    def _on_lambda(self, cpu_ms: float, function: str) -> float:
        vcpus = min(1.0, 1024 * self._gigabytes(function) / self.assumptions.vcpu_megabytes)
        return cpu_ms * self.assumptions.cpu_factor / vcpus

    def request(self, row: Row) -> Usage:
        """Return what one request of an operation uses. For authentication, what it adds to a request."""
        given, count = self.assumptions, 0 if row["name"] in NOT_REQUESTS else 1
        return {
            "api_request": count,
            "lambda_request": count,
            "lambda_gb_second": self.billed_ms(row) / 1000 * self._gigabytes(row["function"]),
            "log_gb": count
            * (row["log_bytes"] + given.runtime_log_bytes + given.access_log_bytes)
            / GIGABYTE,
            **_data(row),
        }

    def appsync_request(self, row: Row) -> Usage:
        """Return what the same operation uses with AppSync, whose log line has the same size."""
        if row["name"] in NOT_IN_APPSYNC:
            return {}
        return {"appsync_operation": 1, "log_gb": row["log_bytes"] / GIGABYTE, **_data(row)}

    def month(self, month: Month) -> Usage:
        """Return what a month uses on Lambda and DynamoDB."""
        cold = self.measured["cold_cpu_ms"]["graphql"]
        seconds = ceil(self._on_lambda(cold, "graphql") + 2 * self.assumptions.dynamodb_ms) / 1000
        starts = {"lambda_gb_second": seconds * self._gigabytes("graphql"), "secret_call": 1}
        return total(
            times(month.requests, self._mixed(self.request)),
            times(month.requests * month.uncached, self.request(self.rows[AUTHENTICATION])),
            times(month.requests * month.cold, starts),
            self.idle(),
            _stored(month),
        )

    def idle(self) -> Usage:
        """Return what a month uses without requests and data, with the metrics of the mix."""
        sweep = {**self.request(self.measured["sweep"]), "api_request": 0}
        metrics = sum(self.measured["metrics"].values())
        return total(
            times(self.assumptions.sweeps, sweep),
            {"metric_month": metrics, "secret_month": 1},
            self._monitoring(),
        )

    def appsync_month(self, month: Month) -> Usage:
        """Return what a month uses with AppSync and the same tables."""
        requests = times(month.requests, self._mixed(self.appsync_request))
        return total(requests, self._monitoring(), _stored(month))

    def container_month(self, month: Month, container: Container) -> Usage:
        """Return what a month uses with containers and PostgreSQL."""
        used: Usage = self._mixed(lambda row: {"log_gb": row["log_bytes"] / GIGABYTE, **_files(row)})
        servers = {
            "fargate_vcpu_hour": container.tasks * container.vcpus,
            "fargate_gb_hour": container.tasks * container.gigabytes,
            "alb_hour": 1,
            "lcu_hour": container.lcus,
            "ipv4_hour": 2 + container.tasks,
            container.database: container.databases,
        }
        stored = {
            "db_gb_month": container.databases * container.database_gb,
            "s3_gb_month": month.files_gb,
            "secret_month": 1,
        }
        return total(times(month.requests, used), times(HOURS, servers), stored, self._monitoring())

    def cpu_ms_per_request(self) -> float:
        """Return the mean CPU time of the requests of the mix."""
        return fsum(share * float(self.rows[name]["cpu_ms"]) for name, share in MIX.items())

    def _gigabytes(self, function: str) -> float:
        """Return the memory that a function has by default."""
        return float(self.measured["template"]["megabytes"][function]) / 1024

    def _monitoring(self) -> Usage:
        found = self.measured["template"]
        return {"alarm_month": found["alarms"], "dashboard_month": found["dashboards"]}

    def _mixed(self, usage: Any) -> Usage:
        return total(*(times(share, usage(self.rows[name])) for name, share in MIX.items()))


def dollars(usage: Usage, names: Iterable[str] = tuple(PRICES)) -> float:
    """Return the price of quantities, or of those with some names."""
    # `sum` rounds otherwise in Python 3.11.
    return fsum(usage.get(name, 0) * PRICES[name].each for name in names)


def by_group(usage: Usage) -> Mapping[str, float]:
    """Return the price of quantities by the lines of a bill."""
    return {group: dollars(usage, names) for group, names in GROUPS.items()}


def times(factor: float, usage: Usage) -> Usage:
    """Return quantities that are multiplied."""
    return {name: factor * quantity for name, quantity in usage.items()}


def total(*usages: Usage) -> Usage:
    """Return the sum of quantities."""
    names = dict.fromkeys(name for usage in usages for name in usage)
    return {name: fsum(usage.get(name, 0) for usage in usages) for name in names}


def _data(row: Row) -> Usage:
    return {"read_unit": row["read_units"], "write_unit": row["write_units"], **_files(row)}


def _files(row: Row) -> Usage:
    return {
        "s3_put": sum(row["calls"].get(f"s3:{method}", 0) for method in ("PUT", "POST", "LIST")),
        "s3_get": sum(row["calls"].get(f"s3:{method}", 0) for method in ("GET", "HEAD")),
        "data_out_gb": row["response_bytes"] / GIGABYTE,
    }


def _stored(month: Month) -> Usage:
    gigabytes = month.table_gb
    return {"table_gb_month": gigabytes, "pitr_gb_month": gigabytes, "s3_gb_month": month.files_gb}
