"""The audit trail in DynamoDB: counts without retries, and entries that DynamoDB deletes."""

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.members.audit_entry import AuditEntry, AuditKind, hourly_entry
from stratabase_aws.members.pynamodb_audit import PynamoAuditTrail
from tests.aws.dynamodb.server import Reply, serving
from tests.aws.members.test_pynamodb_table import BROKEN, THROTTLED, failed, table_of
from tests.fakes import FUTURE_NOON as NOON
from tests.rows import each_row

DONE = Reply({"Attributes": {}})
REFUSED = AuditKind.SIGN_IN_REFUSED
COUNTS: dict[str, Callable[[PynamoAuditTrail], None]] = {
    "known": lambda trail: trail.count(hourly_entry(REFUSED, NOON, "06h0593dq73cnpjf43obui653c")),
    "unknown": lambda trail: trail.count(hourly_entry(REFUSED, NOON)),
    "use of a key": lambda trail: trail.note_use("m1", "k1", NOON),
}


@each_row("failure", [THROTTLED, BROKEN, Reply(break_off=True)])
@each_row("count", COUNTS.values())
def test_a_count_is_not_retried(failure: Reply, count: Callable[[PynamoAuditTrail], None]) -> None:
    """Retries would take longer for a popular item, and so tell which names have members."""
    with serving(failure, DONE) as server, table_of(server) as table:
        with pytest.raises(Unavailable):
            count(PynamoAuditTrail(table))
        assert len(server.asked) == 1


def test_a_refusal_is_one_request_for_known_and_unknown_names() -> None:
    requests = dict[str, dict[str, Any]]()
    for name in ("known", "unknown"):
        with serving(DONE) as server, table_of(server) as table:
            COUNTS[name](PynamoAuditTrail(table))
            ((_headers, body),) = server.asked
            requests[name] = orjson.loads(body)
    known, unknown = requests["known"], requests["unknown"]
    assert known.keys() == unknown.keys()
    assert known["Key"].keys() == unknown["Key"].keys()
    assert len(known["Key"]["sk"]["S"]) == len(unknown["Key"]["sk"]["S"])


def test_an_entry_has_the_instant_from_which_dynamodb_may_delete_it() -> None:
    with serving(Reply({})) as server, table_of(server) as table:
        trail = PynamoAuditTrail(table)
        trail.append([AuditEntry("1", NOON, AuditKind.SIGNED_IN, "m1", "m1", until=NOON + 999)])
        ((_headers, body),) = server.asked
    (put,) = orjson.loads(body)["TransactItems"]
    assert put["Put"]["Item"]["expires"] == {"N": str(NOON // 1000)}


def test_what_has_expired_is_not_made_again_by_forgetting() -> None:
    """DynamoDB can delete an entry between the query that finds it and the write that changes it."""
    condition = failed("ConditionalCheckFailedException")
    item = {
        "pk": {"S": "AUD#0"},
        "sk": {"S": "1"},
        "at": {"N": "1"},
        "kind": {"S": "signedIn"},
        "actor": {"S": "m1"},
        "address": {"S": "192.0.2.1"},
        "number": {"N": "1"},
    }
    found = Reply({"Items": [item], "Count": 1, "ScannedCount": 1})
    none = Reply({"Items": [], "Count": 0, "ScannedCount": 0})
    with serving(found, condition, *[none] * 8) as server, table_of(server) as table:
        for _step in PynamoAuditTrail(table).forget("m1"):
            pass
        _headers, body = server.asked[1]
    assert orjson.loads(body)["ConditionExpression"].startswith("attribute_exists")


def page_reply(partition: str, *ids: str, end: str | None = None) -> Reply:
    """Return what one query finds. `end`: where it stops before the end of the partition."""
    items = [
        {
            "pk": {"S": partition},
            "sk": {"S": id_},
            "at": {"N": "1"},
            "kind": {"S": "signedIn"},
            "number": {"N": "1"},
        }
        for id_ in ids
    ]
    last = {} if end is None else {"LastEvaluatedKey": {"pk": {"S": partition}, "sk": {"S": end}}}
    return Reply({"Items": items, "Count": len(items), "ScannedCount": len(items), **last})


def test_a_page_of_a_member_ends_after_some_requests_and_says_where_it_goes_on() -> None:
    """The entries of others are in between. A request to the service must not read all of them."""
    ends = ["9", "8", "7", "6", "5"]
    replies = [page_reply("AUD#0", *(["7a"] if end == "7" else []), end=end) for end in ends]
    with serving(*replies) as server, table_of(server) as table:
        page = PynamoAuditTrail(table).page("1", member="m1")
        starts = [
            orjson.loads(body).get("ExclusiveStartKey", {}).get("sk") for _headers, body in server.asked
        ]
    assert [entry.id for entry in page.entries] == ["7a"]
    assert page.next == "5"
    assert starts == [None, *({"S": end} for end in ends[:-1])]


def test_a_page_of_all_ends_where_a_partition_was_not_read_further() -> None:
    """A query reads at most 1 MB. What is older can be between entries that it did not read."""
    large = page_reply("AUD#0", "9", "7", end="7")
    others = [page_reply("AUD#1", "8", "5"), *(page_reply(f"AUD#{number}") for number in range(2, 8))]
    with serving(large, *others) as server, table_of(server) as table:
        page = PynamoAuditTrail(table).page("1", limit=50)
    assert [entry.id for entry in page.entries] == ["9", "8", "7"]
    assert page.next == "7"
