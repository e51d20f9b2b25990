"""Whether the time of a response to a forgotten password reveals that a member exists.

Requests for known and unknown names alternate in random order. Each known name occurs once, so that each of
them sends a mail. The two distributions of times are compared by the probability that a known name takes
longer: 50 % means that they are the same. Its standard error is that of the Mann-Whitney test.
"""

import http.client
import json
import statistics
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import count
from math import sqrt
from pathlib import Path
from random import Random
from time import perf_counter

from benchmarks.table import Figure, print_table
from stratabase.core.store.ids import TimeOrderedIds
from stratabase.core.waiting import SystemClock
from stratabase.members.member import Member
from stratabase.members.operations.forgotten_password import MAX_REQUESTS_FROM_ADDRESS
from stratabase.members.operations.password_reset import FORGOT_PASSWORD_PATH
from stratabase.members.stores.sqlite_members import SqliteMembers
from tests.service import RunningService

NAMES = 1_000
"""Known names, and as many unknown ones."""
ERRORS = 5
"""Standard errors that the probability may differ from 50 %."""
PERCENTILES = (10, 50, 90, 99)


def main(folder: Path) -> None:
    """Print the distributions of times for known and unknown names, and how much they differ."""
    service = RunningService(folder / "home").start()
    service.stop()
    members, ids = SqliteMembers(folder / "home" / "members.db"), TimeOrderedIds()
    for number in range(NAMES):
        name = f"known{number:05}"
        members.add(Member(ids.new(), name, f"{name}@example.com", "Member", password="$argon2id$none"))
    members.close()
    service.start()
    try:
        times = _times(service)
    finally:
        service.stop()
    known, unknown = times[True], times[False]
    print_table(
        f"Responses to forgotten passwords, {NAMES:,} known and as many unknown names",
        (
            *(
                Figure(f"{kind}, {percent} % take at most", _percentile(values, percent), "ms")
                for kind, values in (("known", known), ("unknown", unknown))
                for percent in PERCENTILES
            ),
            *_comparison("this response", known, unknown),
        ),
    )


def _times(service: RunningService) -> dict[bool, list[float]]:
    """Return the milliseconds of the responses for known names (True) and for unknown ones (False)."""
    seed = SystemClock().now()
    print(f"seed {seed}")
    names = [(is_known, number) for is_known in (True, False) for number in range(NAMES)]
    Random(seed).shuffle(names)
    times: dict[bool, list[float]] = {True: [], False: []}
    addresses = _addresses()
    # Each network address may send a limited number of requests.
    for start in range(0, len(names), MAX_REQUESTS_FROM_ADDRESS):
        source = (next(addresses), 0)
        with closing(http.client.HTTPConnection("127.0.0.1", service.port, 30, source_address=source)) as own:
            service.request("GET", "/public/health", connection=own)
            for is_known, number in names[start : start + MAX_REQUESTS_FROM_ADDRESS]:
                body = json.dumps({"username": f"{'known' if is_known else 'other'}{number:05}"})
                headers = {"Content-Type": "application/json"}
                began = perf_counter()
                own.request("POST", FORGOT_PASSWORD_PATH, body, headers)
                response = own.getresponse()
                response.read()
                times[is_known].append((perf_counter() - began) * 1000)
                assert response.status == 202
    return times


def _addresses() -> Iterator[str]:
    """Yield loopback addresses."""
    return (f"127.1.{number // 250}.{number % 250 + 1}" for number in count())


def _percentile(values: Sequence[float], percent: int) -> float:
    return statistics.quantiles(values, n=100)[percent - 1]


def _comparison(name: str, first: Sequence[float], second: Sequence[float]) -> tuple[Figure, Figure]:
    """Return the probability that a value of `first` is the greater one, and its distance from 50 %."""
    ranked = sorted([(value, 1) for value in first] + [(value, 0) for value in second])
    ranks = sum(rank for rank, (_value, is_first) in enumerate(ranked, 1) if is_first)
    wins = ranks - len(first) * (len(first) + 1) / 2
    probability = wins / (len(first) * len(second))
    error = sqrt((len(first) + len(second) + 1) / (12 * len(first) * len(second)))
    return (
        Figure(f"{name}: known takes longer", 100 * probability, "%"),
        Figure(f"{name}: distance from 50 %", abs(probability - 0.5) / error, "errors", ERRORS),
    )
