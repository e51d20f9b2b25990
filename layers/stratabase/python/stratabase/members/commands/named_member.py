"""The member that a subcommand of `stratabase members` names: the argument, and the search by it."""

from stratabase.core.app.app import App
from stratabase.core.domain.caller import CONSOLE
from stratabase.members.app.member_services import MemberServices
from stratabase.members.member import Member
from stratabase.members.refusals import NoSuchMember
from stratabase.terminal.arguments import Argument, Options
from stratabase.terminal.command_error import CommandError

USERNAME: Argument = ("username", {"help": "the member's username; case does not matter"})


def find_member(instance: App, options: Options) -> Member:
    """Return the member with the username in the options. Raises CommandError if it does not exist."""
    try:
        return instance.part(MemberServices).read.by_username(CONSOLE, options.username)
    except NoSuchMember as refusal:
        raise CommandError(
            f'Member "{options.username}" does not exist. To list all members, run `stratabase members list`.'
        ) from refusal
