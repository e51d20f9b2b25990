"""`stratabase members`: lists and changes members with the rights of an administrator."""

import argparse
import getpass
import shlex
import sys
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from stratabase.core.app.app import App
from stratabase.core.app.platform import platform_of
from stratabase.core.domain.caller import CONSOLE
from stratabase.core.domain.issues.refusals import Refusal
from stratabase.core.domain.store_mark import StoreKind
from stratabase.core.model.reading import InvalidModel
from stratabase.core.model.types.identifier import id_timestamp
from stratabase.core.setting_values import root_url
from stratabase.core.settings import BadSettings, Settings
from stratabase.core.unusable_store import UnusableStore
from stratabase.members.app.auth_services import AuthServices
from stratabase.members.app.member_services import MemberServices
from stratabase.members.commands.member_keys import KEY_SUBCOMMANDS
from stratabase.members.commands.named_member import USERNAME, find_member
from stratabase.members.commands.owners import resolve_owners
from stratabase.members.member import Member, MemberKind, describe_shared_addresses
from stratabase.members.operations.hand_over import FormerMember, From, HandOverResult
from stratabase.members.password import PasswordPolicy
from stratabase.members.refusals import NoSuchMember
from stratabase.terminal.arguments import Argument, Options, Subcommand, add_subcommands
from stratabase.terminal.command_error import CommandError, text_with_cause
from stratabase.terminal.settings import (
    make_data_folder,
    read_settings,
    require_model,
    require_store,
    uses_data_folder,
)
from stratabase.terminal.table import table_lines
from stratabase.values.wording import is_or_are, pluralize


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands."""
    add_subcommands(parser, _SUBCOMMANDS)


def run(options: Options) -> int:
    """Run the subcommand, and print the lines that it yields."""
    settings = read_settings()
    if options.subcommand is _create and uses_data_folder(settings):
        # Only this subcommand can be the first one that uses a data folder.
        require_model(settings)
        make_data_folder(settings.home)
    else:
        require_store(settings)
    try:
        instance = App(settings)
        try:
            for line in options.subcommand(instance, options):
                print(line)
        finally:
            instance.close()
    except (Refusal, InvalidModel, BadSettings, UnusableStore) as error:
        raise CommandError(text_with_cause(error)) from error
    return 0


def _list(instance: App, _: Options) -> Iterator[str]:
    members = instance.part(MemberServices).list(CONSOLE)
    yield from table_lines([_row(member) for member in members]) if members else ["No members exist."]
    for line in describe_shared_addresses(members):
        print(line, file=sys.stderr)


def _row(member: Member) -> tuple[str, ...]:
    kind = "" if member.kind is MemberKind.PERSON else member.kind.value
    state = "disabled" if member.disabled else kind or ("" if member.password else "no password")
    return member.username, member.email, member.profile, member.id, state


def _create(instance: App, options: Options) -> Iterator[str]:
    fields = {name: getattr(options, name) for name in ("username", "email", "profile")}
    fields |= {"language": options.language} if options.language else {}
    if options.ask_password:
        password = _ask_password(instance.part(MemberServices).policy, (options.username, options.email))
        member = instance.part(MemberServices).create_silently(CONSOLE, fields)
        instance.part(MemberServices).update(CONSOLE, member.id, {"password": password})
        yield f'Created the member "{member.username}" with the ID {member.id}.'
    elif options.print_link:
        base_url = mail_base_url(instance.settings)
        member = instance.part(MemberServices).create_silently(CONSOLE, fields)
        yield f'Created the member "{member.username}" with the ID {member.id}.'
        yield from _print_link(instance, member, base_url)
    else:
        instance.part(MemberServices).check_mail()  # without the email, nobody could use the member
        member = instance.part(MemberServices).create(CONSOLE, fields, mail_base_url(instance.settings))
        yield f'Created the member "{member.username}" with the ID {member.id}.'
        yield f"Sent an email to {member.email}."
    if not options.ask_password:
        _warn_of_assumed_address(instance.settings)


def _create_program(instance: App, options: Options) -> Iterator[str]:
    fields = {"username": options.username, "profile": options.profile, "kind": MemberKind.PROGRAM.value}
    member = instance.part(MemberServices).create(CONSOLE, fields, "")
    yield f'Created the program "{member.username}" with the ID {member.id}.'
    name = shlex.quote(member.username)
    yield f"To make an API key for it, run `stratabase members create-key {name} NAME`."


def _set_profile(instance: App, options: Options) -> Iterator[str]:
    member = _update(instance, options, {"profile": options.profile})
    yield f'Changed the profile of "{member.username}" to {member.profile}.'


def _set_email(instance: App, options: Options) -> Iterator[str]:
    member = _update(instance, options, {"email": options.email})
    yield f'Changed the email address of "{member.username}" to {member.email}.'


def _set_password(instance: App, options: Options) -> Iterator[str]:
    member = find_member(instance, options)
    password = _ask_password(instance.part(MemberServices).policy, (member.username, member.email))
    instance.part(MemberServices).update(CONSOLE, member.id, {"password": password})
    yield f'Changed the password of "{member.username}". Earlier tokens are no longer valid.'


def _reset_password(instance: App, options: Options) -> Iterator[str]:
    member = find_member(instance, options)
    base_url = mail_base_url(instance.settings)
    if options.print_link:
        yield from _print_link(instance, member, base_url)
    else:
        instance.part(MemberServices).check_mail()
        instance.part(MemberServices).password_reset.start(CONSOLE, member.id, base_url)
        yield f"Sent an email to {member.email}. The old password stays valid until the member uses the link."
    _warn_of_assumed_address(instance.settings)


def _print_link(instance: App, member: Member, base_url: str) -> Iterator[str]:
    link = instance.part(MemberServices).password_reset.make_link(CONSOLE, member.id, base_url)
    yield f'To set the password of "{member.username}", open this link within an hour. It works once:'
    yield link


def _disable(instance: App, options: Options) -> Iterator[str]:
    member = _update(instance, options, {"disabled": True})
    yield f'Disabled "{member.username}". The member loses access within 3 seconds.'


def _enable(instance: App, options: Options) -> Iterator[str]:
    member = _update(instance, options, {"disabled": False})
    yield f'Enabled "{member.username}". Earlier tokens stay invalid.'


def _delete(instance: App, options: Options) -> Iterator[str]:
    member = find_member(instance, options)
    instance.part(MemberServices).remove(CONSOLE, member.id)
    yield f'Deleted "{member.username}".'


def _hand_over(instance: App, options: Options) -> Iterator[str]:
    """Transfer all objects of an owner, who can be a deleted member, to a member."""
    members = instance.part(AuthServices).members
    from_, to = options.owner, options.to
    new_owner = members.by_username(to) or members.by_id(to)
    if new_owner is None:
        raise CommandError(
            f'Member "{to}" does not exist. To list all members, run `stratabase members list`.'
        )
    total = HandOverResult()
    # Each call transfers as many objects as its time limit allows.
    while not total.complete:
        some = _hand_over_some(instance, options, new_owner.id)
        total += some
        if not some.complete:
            print(f"Transferred {pluralize(total.handed_over, 'object')} so far.", file=sys.stderr)
    number = total.handed_over
    yield f'Transferred {pluralize(number, "object")} from "{from_}" to "{new_owner.username}".'
    found_any = number or total.locked or total.refused
    if not found_any and members.by_username(from_) is None and members.by_id(from_) is None:
        yield f'Member "{from_}" does not exist. If this was a deleted member, check the name.'
    if total.locked:
        locked = f"{pluralize(total.locked, 'object')} {is_or_are(total.locked)} locked"
        yield f"{locked}. Release the locks, and run the command again."
    if total.refused:
        refused = pluralize(total.refused, "object")
        reasons = "a blocking warning or a constraint refuses this, or the result is too large"
        yield f"{refused} cannot be changed: {reasons}."


def _hand_over_some(instance: App, options: Options, new_owner_id: str) -> HandOverResult:
    """Transfer objects in one call, and return the numbers of objects by outcome.

    The owner is the username or id of a member, or of a deleted one. With `--former`, it is the username of a
    deleted member, even if another member has that username now.
    """
    from_ = options.owner
    member = None if options.former else instance.part(AuthServices).members.by_username(from_)
    # A text that is not a username now is an id if it has the format of one, otherwise a former username.
    owner: From = FormerMember(from_) if member is None else member.id
    if member is None and not options.former and id_timestamp(from_) is not None:
        owner = from_
    try:
        return instance.part(MemberServices).hand_over(CONSOLE, owner, new_owner_id, options.class_name)
    except NoSuchMember as refusal:
        raise CommandError(f"No member and no owner of an object has the ID {from_}.") from refusal


def _resolve_owners(instance: App, options: Options) -> Iterator[str]:
    is_done = True
    for line in resolve_owners(instance, again=options.again):
        yield line
        is_done = False
    if is_done:
        yield "All owners in objects already have member IDs."


_EMAIL: Argument = ("email", {"help": "the member's email address"})
_PROFILE: Argument = ("profile", {"help": "the name of a profile in the model"})
_PRINT_LINK: Argument = (
    "--print-link",
    {"action": "store_true", "help": "print the link, and send no email"},
)
_SUBCOMMANDS: Mapping[str, Subcommand] = {
    "list": Subcommand(_list, "list all members", example="stratabase members list"),
    "create": Subcommand(
        _create,
        "create a member, and email a link for setting the password",
        (
            USERNAME,
            _EMAIL,
            _PROFILE,
            ("--language", {"help": "the language of emails and pages, such as en or it"}),
            (
                "--ask-password",
                {"action": "store_true", "help": "ask for the password here, and send no email"},
            ),
            _PRINT_LINK,
        ),
        example="stratabase members create rosa rosa@example.com Manager --language it",
    ),
    "create-program": Subcommand(
        _create_program,
        "create a member that is a program, which has API keys and no password",
        (USERNAME, _PROFILE),
        example="stratabase members create-program importer Manager",
    ),
    **KEY_SUBCOMMANDS,
    "set-profile": Subcommand(
        _set_profile,
        "change the profile of a member",
        (USERNAME, _PROFILE),
        example="stratabase members set-profile rosa Member",
    ),
    "set-email": Subcommand(
        _set_email,
        "change the email address of a member without confirmation",
        (USERNAME, _EMAIL),
        example="stratabase members set-email rosa rosa@example.com",
    ),
    "set-password": Subcommand(
        _set_password,
        "change the password of a member; the command asks for it",
        (USERNAME,),
        example="stratabase members set-password rosa",
    ),
    "reset-password": Subcommand(
        _reset_password,
        "email a member a link for setting a new password",
        (USERNAME, _PRINT_LINK),
        example="stratabase members reset-password rosa",
    ),
    "disable": Subcommand(
        _disable,
        "disable a member, and invalidate the member's tokens",
        (USERNAME,),
        example="stratabase members disable rosa",
    ),
    "enable": Subcommand(
        _enable, "enable a disabled member", (USERNAME,), example="stratabase members enable rosa"
    ),
    "delete": Subcommand(
        _delete,
        "delete a member; the member's objects stay",
        (USERNAME,),
        example="stratabase members delete rosa",
    ),
    "hand-over": Subcommand(
        _hand_over,
        "transfer all objects of an owner to a member",
        (
            (
                "owner",
                {"metavar": "FROM", "help": "the username or ID of the owner, which can be a deleted member"},
            ),
            ("to", {"metavar": "TO", "help": "the username or ID of the new owner"}),
            (
                "--class",
                {"dest": "class_name", "metavar": "CLASS", "help": "transfer only the objects of this class"},
            ),
            (
                "--former",
                {
                    "action": "store_true",
                    "help": "FROM is the username of a deleted member, even if another member has "
                    "that username now",
                },
            ),
        ),
        example="stratabase members hand-over rosa paul --class Contract",
    ),
    "resolve-owners": Subcommand(
        _resolve_owners,
        "replace usernames that an older version stored as owners with member IDs",
        (
            (
                "--again",
                {
                    "action": "store_true",
                    "help": "check all objects again; use this if an older version has served since "
                    "the last run",
                },
            ),
        ),
        example="stratabase members resolve-owners",
    ),
}


def _update(instance: App, options: Options, fields: Mapping[str, Any]) -> Member:
    return instance.part(MemberServices).update(CONSOLE, find_member(instance, options).id, fields)


def _ask_password(policy: PasswordPolicy, names: Collection[str]) -> str:
    """Ask for a password twice at a terminal, or read it from a line of standard input. Return it.

    `names` has the username and email address, which the password must not contain. Raises CommandError if
    the password is missing or weak.
    """
    password = _type_password() if sys.stdin.isatty() else _read_password()
    weak = [policy.advice(weakness) for weakness in policy.weaknesses(password, names)]
    if weak:
        raise CommandError(" ".join(weak))
    return password


def _type_password() -> str:
    try:
        password, again = getpass.getpass("New password: "), getpass.getpass("Repeat the new password: ")
    except (EOFError, KeyboardInterrupt) as error:
        raise CommandError("\nNo password entered. The password is unchanged.") from error
    if password != again:
        raise CommandError("The passwords do not match. The password is unchanged.")
    return password


def _read_password() -> str:
    try:
        return sys.stdin.readline().rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise CommandError(
            f"The password is not valid {sys.stdin.encoding} text. The password is unchanged."
        ) from error


def _warn_of_assumed_address(settings: Settings) -> None:
    """Print to which address links lead, unless it is configured: `serve` may have got another port."""
    if not settings.base_url:
        print(
            f"The link leads to {mail_base_url(settings)}. If the service has another address, set HOST and "
            "PORT as for `serve`, or STRATABASE_BASE_URL, and run `stratabase members reset-password`.",
            file=sys.stderr,
        )


def mail_base_url(settings: Settings) -> str:
    """Return the base URL of links in mails. Raises CommandError if the settings do not define it."""
    if settings.base_url:
        return settings.base_url
    if not platform_of(settings).is_local(StoreKind.OBJECTS) and not settings.create_tables:
        raise CommandError(
            "STRATABASE_BASE_URL is required. Set it to the address of the service for links in emails."
        )
    # The store is on this machine, or is an emulator: the service runs here, too.
    if not settings.port:
        raise CommandError(
            "PORT: 0 means any free port. For links in emails, set the port that the service listens on."
        )
    return root_url(settings.host, settings.port)
