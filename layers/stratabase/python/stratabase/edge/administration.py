"""What the addresses of members have in common."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from stratabase.domain.member import Caller, Member
from stratabase.edge.operation import Parameter, Told
from stratabase.edge.request import Request
from stratabase.operations.members.given import Given

ADDRESS = "/auth/administration/members"
"""Where the members are, below the root of all addresses."""
MEMBER = {"id": Parameter("What identifies the member.")}
"""The parameter of addresses of one member."""
UNKNOWN = Told("There is no member with this id.")
TAKEN = "Another member has the username or the e-mail address"


@dataclass(frozen=True, slots=True)
class Administration:
    """What can be done with members on behalf of a caller, who may not always."""

    read: Callable[[Caller, str], Member]
    list: Callable[[Caller], Iterable[Member]]
    create: Callable[[Caller, Given, str], Member]
    """Makes a member, who is mailed a link below an address."""
    update: Callable[[Caller, str, Given, str], object]
    """Changes a member; one who gives another e-mail address is mailed a link below an address."""
    remove: Callable[[Caller, str], None]


def url(base_url: str, member: Member) -> str:
    """Return the address of a member of the service at `base_url`."""
    return f"{base_url}{ADDRESS}/{member.id}"


def id_in(request: Request) -> str:
    """Return the id in an address of one member."""
    return request.parameters.get("id", "")


def known(caller: Caller | None) -> Caller:
    """Return the caller, whom the front door knows at all these addresses."""
    assert caller is not None, "the front door lets nobody in without credentials"
    return caller
