"""Who may do what with members: administrators everything, the others a little with themselves."""

from stratabase.domain.member import Caller
from stratabase.domain.refusal import Forbidden

CONSOLE = Caller(id="", username="console", profile="", administrator=True)
"""Who sits at the machine itself, and needs nobody's leave."""


def may_create(caller: Caller) -> None:
    """Raise Forbidden unless the caller may make members."""
    must_administrate(caller, "make members")


def may_change(caller: Caller, id_: str) -> None:
    """Raise Forbidden unless the caller may change something of the member with that id."""
    must_be_or_administrate(caller, id_, "change other members")


def must_administrate(caller: Caller, deed: str) -> None:
    """Raise Forbidden unless the caller is an administrator; the deed is said in its text."""
    if not caller.administrator:
        raise Forbidden(f"Only an administrator may {deed}.")


def must_be_or_administrate(caller: Caller, id_: str, deed: str) -> None:
    """Raise Forbidden unless the caller is this member or an administrator."""
    if caller.id != id_:
        must_administrate(caller, deed)
