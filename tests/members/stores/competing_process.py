"""A process that shares the members file, run as a module with PATH ACTION NUMBER TIMES.

It says `ready`, waits for a line, does its action in each turn, and prints as JSON the turns that it won.
"""

import json
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from stratabase.core.domain.caller import CONSOLE
from stratabase.core.model.model import Profile
from stratabase.members.member import Member, NamesTaken, administrates
from stratabase.members.operations.update import UpdateMember
from stratabase.members.password import PasswordPolicy
from stratabase.members.ports import Members
from stratabase.members.refusals import LastAdministrator
from stratabase.members.stores.sqlite_members import SqliteMembers
from tests.in_memory_members import PlainPasswords, nobody_signs_in
from tests.recording_mailer import email_change

PROFILES = {"Boss": Profile("Boss", administrator=True), "Clerk": Profile("Clerk")}


def add(members: Members, number: int, turn: int) -> bool:
    """Try to get a username that others want too; return whether that succeeded."""
    try:
        members.add(Member(f"{turn}-{number}", f"anna{turn}", f"{turn}-{number}@example.com", "Clerk"))
    except NamesTaken:
        return False
    return True


def demote(members: Members, number: int, turn: int) -> bool:
    """Demote the other one of two administrators, check that one is left, and restore the profile."""
    passwords = PlainPasswords()
    policy = PasswordPolicy(passwords.is_common)
    update = UpdateMember(members, passwords, policy, PROFILES, email_change(members), nobody_signs_in)
    other = str(1 - number)
    demoted = False
    with suppress(LastAdministrator):
        update(CONSOLE, other, {"profile": "Clerk"})
        demoted = True
    if not any(administrates(member, PROFILES) for member in members.roster().members):
        raise AssertionError(f"nobody is an administrator any more in turn {turn}")
    update(CONSOLE, other, {"profile": "Boss"})
    return demoted


def change_field(members: Members, number: int, turn: int) -> bool:
    """Change one field of a member whose other fields others change."""
    passwords = PlainPasswords()
    policy = PasswordPolicy(passwords.is_common)
    update = UpdateMember(members, passwords, policy, PROFILES, email_change(members), nobody_signs_in)
    value = {"notes": f"{turn}"} if number else {"email": f"anna{turn}@example.com"}
    update(CONSOLE, "0", value)
    return True


ACTIONS: dict[str, Callable[[Members, int, int], bool]] = {
    "add": add,
    "demote": demote,
    "change_field": change_field,
}


def main(path: str, action: str, number: str, times: str) -> None:
    """Do the action in each turn."""
    members = SqliteMembers(Path(path))
    print("ready", flush=True)  # noqa: T201 - how processes talk here
    sys.stdin.readline()
    done = [turn for turn in range(int(times)) if ACTIONS[action](members, int(number), turn)]
    print(json.dumps(done), flush=True)  # noqa: T201
    members.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
