"""What a partition of the members' table bears, from the sizes of records and the spread of IDs.

DynamoDB serves 3,000 read units and 1,000 write units a second for each partition key. The members are spread
over several partition keys by a hash of their IDs.
"""

from collections import Counter
from dataclasses import replace
from math import ceil
from pathlib import Path

from benchmarks.table import Figure, print_table
from stratabase.core.store.ids import TimeOrderedIds
from stratabase.members.credentials import PASSWORD_WAY, Session
from stratabase.members.member import MailedLink, Member
from stratabase.members.sessions import MAX_SESSIONS
from stratabase.members.sign_in.callers import MEMBER_FRESHNESS
from stratabase.members.sign_in.password_hashes import Argon2Passwords
from stratabase.values.formats.preferences import Formats
from stratabase_aws.members.pynamodb_members import MemberRecord, _member_key, _record_attributes

MEMBERS = 100_000
READ_UNITS, WRITE_UNITS = 3000, 1000
"""Units a second that DynamoDB serves for a partition key."""


def main(_folder: Path) -> None:
    """Print the figures."""
    ids = TimeOrderedIds()
    member = _largest_member(ids.new())
    size = _size(member)
    sessions = tuple(_session(ids.new()) for _ in range(MAX_SESSIONS))
    signed_in, full = (_size(replace(member, sessions=sessions[:number])) for number in (3, MAX_SESSIONS))
    read_units, write_units = ceil(size / 4096), 2 * ceil(size / 1024)  # a transaction costs twice as much
    partitions = Counter(_member_key(ids.new())[0] for _ in range(MEMBERS))
    fullest = max(partitions.values()) / MEMBERS
    reads, writes = READ_UNITS / read_units, WRITE_UNITS / write_units
    print_table(
        "Partitions of the members' table",
        (
            Figure("size of a member's record", size, "bytes", 1024, "one write unit"),
            Figure("the same with 3 sessions", signed_in, "bytes", 1536),
            Figure("the same with 50 sessions", full, "bytes", 8192, "two read units"),
            Figure("write units of a renewal, 3 sessions", ceil(signed_in / 1024), ""),
            Figure("write units of a renewal, 50 sessions", ceil(full / 1024), ""),
            Figure("partitions", len(partitions), ""),
            Figure(
                f"share of the fullest, of {MEMBERS:,} members", 100 * fullest, "%", 13.0, "1/8 is 12.5 %"
            ),
            Figure("reads of members, one partition", reads, "/s"),
            Figure("reads of members, all", reads / fullest, "/s"),
            Figure("changes of members, one partition", writes, "/s"),
            Figure("changes of members, all", writes / fullest, "/s"),
            Figure("processes that one member can keep busy", reads * MEMBER_FRESHNESS / 1000, ""),
        ),
    )


def _largest_member(id_: str) -> Member:
    """Return a member with long values and both links."""
    link = MailedLink("0" * 64, 1_795_334_400_000)
    hashed = Argon2Passwords().hash("correct horse battery staple")
    name = "maria.magdalena.von-hohenstein"
    return Member(
        id=id_,
        username=name,
        email=f"{name}@subsidiary.example.com",
        profile="DepartmentManager",
        notes="Works in the office in Turin, and on Fridays from home.",
        formats=Formats(),
        password=hashed,
        reset=link,
        confirmation=link,
        pending_email=f"{name}@example.com",
    )


def _session(id_: str) -> Session:
    """Return a session with long values."""
    now, address = 1_795_334_400_000, "2001:db8:1234:5678:9abc:def0:1234:5678"
    return Session(id_, now, now, PASSWORD_WAY, "Samsung Internet on Android", address)


def _size(member: Member) -> int:
    """Return the size of a member's item as DynamoDB counts it: names and values, numbers about half."""
    partition, id_ = _member_key(member.id)
    record = MemberRecord(partition, id_, revision=7, **_record_attributes(member))
    total = 0
    for name, value in record.to_dynamodb_dict().items():
        ((kind, content),) = value.items()
        total += len(name) + {"S": len(str(content).encode()), "N": len(str(content)) // 2 + 2}.get(kind, 1)
    return total
