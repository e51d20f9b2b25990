"""Attempts in DynamoDB: failed requests, and which attempts and records are kept."""

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from itertools import chain, count, repeat
from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError
from pynamodb.exceptions import DoesNotExist

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.members.attempts import FAILURE_WINDOW
from stratabase_aws.members.pynamodb_attempts import PynamoAttempts
from stratabase_aws.members.pynamodb_table import PynamoTable
from tests import ministack
from tests.aws.dynamodb.faults import HASTY
from tests.contract.attempts.stores import ministack_table
from tests.fakes import FUTURE_NOON as NOON

SINCE = NOON - FAILURE_WINDOW
_keys = (f"test{number}" for number in count())


@pytest.fixture
def key() -> str:
    return next(_keys)


@pytest.fixture
def attempts() -> PynamoAttempts:
    return PynamoAttempts(ministack_table())


class Faulty:
    """A table with a list of faults, one for each of the first requests."""

    def __init__(self) -> None:
        ministack_table()
        self.table = PynamoTable(ministack.endpoint(), "attempts-contract", HASTY)
        self.attempts = PynamoAttempts(self.table)
        self.requests: list[str] = []
        self.faults: Iterator[str] = iter(())
        self.table.read(lambda: None)
        client: Any = self.table._connection.client
        self._call = client._make_api_call
        client._make_api_call = self._faulty

    def _faulty(self, operation: str, parameters: Any) -> Any:
        self.requests.append(operation)
        fault = next(self.faults, "none")
        if fault in ("throttled", "forbidden", "too large"):
            raise ClientError(ERRORS[fault], operation)
        answer = self._call(operation, parameters)
        if fault == "lost":
            raise ReadTimeoutError(endpoint_url="http://127.0.0.1")
        return answer


ERRORS: dict[str, Any] = {
    "throttled": {"Error": {"Code": "ThrottlingException"}, "ResponseMetadata": {"HTTPStatusCode": 400}},
    "forbidden": {"Error": {"Code": "AccessDeniedException"}, "ResponseMetadata": {"HTTPStatusCode": 400}},
    "too large": {"Error": {"Code": "ValidationException"}, "ResponseMetadata": {"HTTPStatusCode": 400}},
}


@cache
def _faulty() -> Faulty:
    return Faulty()  # one for all, since to connect takes long


@pytest.fixture
def faulty() -> Faulty:
    faulty = _faulty()
    faulty.requests.clear()
    faulty.faults = iter(())
    return faulty


def test_each_call_is_one_request(faulty: Faulty, key: str) -> None:
    noted = faulty.attempts.note(key, NOON, SINCE)
    faulty.attempts.count(key, SINCE)
    faulty.attempts.withdraw(key, noted.attempt)
    assert faulty.requests == ["UpdateItem", "GetItem", "UpdateItem"]


@pytest.mark.parametrize("fault", ["throttled", "lost"])
def test_a_retried_note_counts_once(fault: str, faulty: Faulty, key: str) -> None:
    """This also holds if only the response was lost."""
    faulty.faults = iter([fault, fault])
    assert faulty.attempts.note(key, NOON, SINCE).instants == (NOON,)
    assert faulty.attempts.count(key, SINCE) == 1


def test_a_withdrawal_whose_response_is_lost_removes_one_attempt(faulty: Faulty, key: str) -> None:
    first = faulty.attempts.note(key, NOON, SINCE).attempt
    faulty.attempts.note(key, NOON, SINCE)
    faulty.faults = iter(["lost"])
    faulty.attempts.withdraw(key, first)
    assert faulty.attempts.count(key, SINCE) == 1


@pytest.mark.parametrize("fault", ["throttled", "forbidden", "too large"])
def test_a_permanent_failure_is_unavailable(fault: str, faulty: Faulty, key: str) -> None:
    """An attempt must not seem to be counted if it was not."""
    for call in (
        lambda: faulty.attempts.note(key, NOON, SINCE),
        lambda: faulty.attempts.withdraw(key, "x"),
    ):
        faulty.faults = repeat(fault)
        with pytest.raises(Unavailable):
            call()


def test_a_failure_to_remove_outdated_attempts_is_tolerated(faulty: Faulty, key: str) -> None:
    for number in range(20):
        faulty.attempts.note(key, number, 0)
    faulty.faults = chain(["none"], repeat("forbidden"))
    assert faulty.attempts.note(key, NOON, SINCE).instants == (NOON,)


def stored(attempts: PynamoAttempts, key: str) -> Any:
    """Return the record of a key."""
    record = attempts._record(key)
    record.refresh(consistent_read=True)
    return record


def test_outdated_attempts_are_removed_together(attempts: PynamoAttempts, key: str) -> None:
    for number in range(15):
        attempts.note(key, number, 0)
    attempts.note(key, NOON, SINCE)
    assert len(stored(attempts, key).attempts) == 16
    attempts.note(key, 15, 0)
    attempts.note(key, NOON, SINCE)
    assert len(stored(attempts, key).attempts) == 2


def test_a_record_expires_after_its_last_attempt_has_left_the_window(
    attempts: PynamoAttempts, key: str
) -> None:
    attempts.note(key, NOON, SINCE)
    attempts.note(key, NOON + 1000, SINCE + 1000)
    over = datetime.fromtimestamp((NOON + 1000 + FAILURE_WINDOW) / 1000, UTC)
    assert 0 < (stored(attempts, key).expires - over).total_seconds() <= 86_400


def test_an_expired_record_is_not_recreated_without_an_expiry(attempts: PynamoAttempts, key: str) -> None:
    attempt = attempts.note(key, NOON, SINCE).attempt
    stored(attempts, key).delete()
    attempts.withdraw(key, attempt)
    with pytest.raises(DoesNotExist):
        stored(attempts, key)
