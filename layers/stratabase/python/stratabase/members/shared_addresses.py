"""The members who have one email address in two spellings, which earlier versions let them."""

from collections.abc import Iterable, Iterator

from stratabase.members.member import Member, email_spellings


def describe_shared_addresses(members: Iterable[Member]) -> Iterator[str]:
    """Yield a line for each member who has the address of an earlier one in another spelling."""
    seen: dict[str, str] = {}
    for member in members:
        first = seen.setdefault(min(email_spellings(member.email)), member.username)
        if first != member.username:
            yield (
                f"The members {first} and {member.username} have one email address, {member.email}, in two "
                "spellings. Change one with `stratabase members set-email USERNAME EMAIL`."
            )
