"""`stratabase members`: shows and changes the members, as an administrator would, from the machine itself."""

import argparse
import getpass
import sys
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from stratabase.bootstrap import Instance
from stratabase.cli.backfill.owners import resolve_owners
from stratabase.cli.server.listener import root_url
from stratabase.cli.subcommands import Argument, Options, Subcommand, add_subcommands
from stratabase.cli.terminal.command_error import CommandError, text_with_cause
from stratabase.cli.terminal.settings import make_data_folder, read_settings
from stratabase.domain.issues.refusals import Refusal
from stratabase.domain.members.member import Member
from stratabase.domain.members.password import PasswordPolicy
from stratabase.domain.members.refusals import NoSuchMember
from stratabase.model.reading import InvalidModel
from stratabase.model.types.identifier import id_timestamp
from stratabase.operations.members.hand_over import FormerMember, From, HandOverResult
from stratabase.operations.members.rules import CONSOLE
from stratabase.settings import BadSettings, Settings
from stratabase.unusable_store import UnusableStore
from stratabase.wording import is_or_are, pluralize


def configure(parser: argparse.ArgumentParser) -> None:
    """Add a subcommand for each thing that can be done with members."""
    add_subcommands(parser, _SUBCOMMANDS)


def run(options: Options) -> int:
    """Run the subcommand, and print the lines that it yields."""
    settings = read_settings()
    if settings.store == "sqlite":
        make_data_folder(settings.home)
    try:
        instance = Instance(settings)
        try:
            for line in options.subcommand(instance, options):
                print(line)
        finally:
            instance.close()
    except (Refusal, InvalidModel, BadSettings, UnusableStore) as error:
        raise CommandError(text_with_cause(error)) from error
    return 0


def _list(instance: Instance, _: Options) -> Iterator[str]:
    members = instance.member_services.list(CONSOLE)
    rows = [_row(member) for member in members]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
    if not rows:
        yield "There is no member yet."


def _row(member: Member) -> tuple[str, ...]:
    state = "disabled" if member.disabled else "" if member.password else "no password yet"
    return member.username, member.email, member.profile, member.id, state


def _create(instance: Instance, options: Options) -> Iterator[str]:
    fields = {name: getattr(options, name) for name in ("username", "email", "profile")}
    fields |= {"language": options.language} if options.language else {}
    if options.ask_password:
        password = _ask_password(instance.member_services.policy, (options.username, options.email))
        member = instance.member_services.create_silently(CONSOLE, fields)
        instance.member_services.update(CONSOLE, member.id, {"password": password})
        yield f'Made "{member.username}", with the id {member.id}.'
    else:
        member = instance.member_services.create(CONSOLE, fields, mail_base_url(instance.settings))
        yield f'Made "{member.username}", with the id {member.id}. A mail to {member.email} is on its way.'


def _set_profile(instance: Instance, options: Options) -> Iterator[str]:
    member = _update(instance, options, {"profile": options.profile})
    yield f'"{member.username}" has the profile {member.profile} now.'


def _set_email(instance: Instance, options: Options) -> Iterator[str]:
    member = _update(instance, options, {"email": options.email})
    yield f'"{member.username}" has the e-mail address {member.email} now.'


def _set_password(instance: Instance, options: Options) -> Iterator[str]:
    member = _find(instance, options)
    password = _ask_password(instance.member_services.policy, (member.username, member.email))
    instance.member_services.update(CONSOLE, member.id, {"password": password})
    yield f'"{member.username}" has the new password now; tokens from before are good no more.'


def _reset_password(instance: Instance, options: Options) -> Iterator[str]:
    member = _find(instance, options)
    instance.member_services.recovery.start(CONSOLE, member.id, mail_base_url(instance.settings))
    yield f"A mail to {member.email} is on its way; the old password is good until the link is used."


def _disable(instance: Instance, options: Options) -> Iterator[str]:
    member = _update(instance, options, {"disabled": True})
    yield f'"{member.username}" is disabled: within 3 seconds nobody comes in by that name.'


def _enable(instance: Instance, options: Options) -> Iterator[str]:
    member = _update(instance, options, {"disabled": False})
    yield f'"{member.username}" may come in again; tokens from before stay ended.'


def _delete(instance: Instance, options: Options) -> Iterator[str]:
    member = _find(instance, options)
    instance.member_services.remove(CONSOLE, member.id)
    yield f'"{member.username}" is deleted.'


def _hand_over(instance: Instance, options: Options) -> Iterator[str]:
    """Make a member the owner of all that another one owns, or that a deleted one owned."""
    members = instance.member_stores.members
    from_, to = options.owner, options.to
    new_owner = members.by_username(to) or members.by_id(to)
    if new_owner is None:
        raise CommandError(f'There is no member "{to}"; `stratabase members list` shows all.')
    total = HandOverResult()
    # One call writes as many objects as it has time for.
    while not total.complete:
        total += _hand_over_some(instance, options, new_owner.id)
    number = total.handed_over
    yield (
        f'{pluralize(number, "object")} of "{from_}" {is_or_are(number)} now owned by "{new_owner.username}".'
    )
    found_any = number or total.locked or total.refused
    if not found_any and members.by_username(from_) is None and members.by_id(from_) is None:
        yield f'There is no member "{from_}" now. Check the name if a deleted member owned objects.'
    if total.locked:
        locked = f"{pluralize(total.locked, 'object')} {is_or_are(total.locked)} locked"
        yield f"{locked}; unlock what is locked, and repeat the command."
    if total.refused:
        refused = pluralize(total.refused, "object")
        yield f"{refused} cannot be written: too large then, or against a constraint."


def _hand_over_some(instance: Instance, options: Options, new_owner_id: str) -> HandOverResult:
    """Hand over as many objects as one call does, and return what became of them.

    The owner is given by the name or id of a member, or of one who was deleted. With `--former` it is a
    deleted member, though a member has the name now.
    """
    from_ = options.owner
    member = None if options.former else instance.member_stores.members.by_username(from_)
    owner: From = FormerMember(from_) if member is None else member.id
    if member is None and not options.former and id_timestamp(from_) is not None:
        owner = from_
    try:
        return instance.member_services.hand_over(CONSOLE, owner, new_owner_id, options.class_name)
    except NoSuchMember as refusal:
        raise CommandError(
            f"There is no member with the id {from_}, and no object that one owned."
        ) from refusal


def _resolve_owners(instance: Instance, options: Options) -> Iterator[str]:
    is_done = True
    for line in resolve_owners(instance, again=options.again):
        yield line
        is_done = False
    if is_done:
        yield "All names of members in objects have the ids of their members already."


_USERNAME: Argument = ("username", {"help": "the member's username, in whatever case"})
_EMAIL: Argument = ("email", {"help": "where mail reaches the member"})
_PROFILE: Argument = ("profile", {"help": "a profile of the model"})
_SUBCOMMANDS: Mapping[str, Subcommand] = {
    "list": Subcommand(_list, "print all members"),
    "create": Subcommand(
        _create,
        "make a member, who gets a mail with a link to choose a password",
        (
            _USERNAME,
            _EMAIL,
            _PROFILE,
            ("--language", {"help": "the language of mail and pages, such as en or it"}),
            (
                "--ask-password",
                {"action": "store_true", "help": "ask for the password here, and send no mail"},
            ),
        ),
    ),
    "set-profile": Subcommand(_set_profile, "give a member another profile", (_USERNAME, _PROFILE)),
    "set-email": Subcommand(
        _set_email,
        "give a member another e-mail address, which need not be confirmed",
        (_USERNAME, _EMAIL),
    ),
    "set-password": Subcommand(
        _set_password, "give a member another password, which is asked for", (_USERNAME,)
    ),
    "reset-password": Subcommand(
        _reset_password, "mail a member a link to choose another password", (_USERNAME,)
    ),
    "disable": Subcommand(_disable, "let a member in no more, and end the member's tokens", (_USERNAME,)),
    "enable": Subcommand(_enable, "let a disabled member in again", (_USERNAME,)),
    "delete": Subcommand(_delete, "delete a member, whose objects stay", (_USERNAME,)),
    "hand-over": Subcommand(
        _hand_over,
        "make another member the owner of all that one owns",
        (
            ("owner", {"metavar": "FROM", "help": "the name or id of the owner, who may be deleted"}),
            ("to", {"metavar": "TO", "help": "the name or id of the member who is the owner from now on"}),
            ("--class", {"dest": "class_name", "metavar": "CLASS", "help": "only the objects of one class"}),
            (
                "--former",
                {
                    "action": "store_true",
                    "help": "FROM is the name of a deleted member, though another one has it now",
                },
            ),
        ),
    ),
    "resolve-owners": Subcommand(
        _resolve_owners,
        "give names of members that an older version wrote to objects the ids of their members",
        (
            (
                "--again",
                {
                    "action": "store_true",
                    "help": "look at all objects, though that was done: the older version has served since",
                },
            ),
        ),
    ),
}


def _find(instance: Instance, options: Options) -> Member:
    """Return the member whom the options name. Raises CommandError if there is none."""
    try:
        return instance.member_services.read.named(CONSOLE, options.username)
    except NoSuchMember as refusal:
        raise CommandError(
            f'There is no member "{options.username}"; `stratabase members list` shows all.'
        ) from refusal


def _update(instance: Instance, options: Options, fields: Mapping[str, Any]) -> Member:
    return instance.member_services.update(CONSOLE, _find(instance, options).id, fields)


def _ask_password(policy: PasswordPolicy, names: Collection[str]) -> str:
    """Ask twice for a password at a terminal, or read a line from elsewhere; return it.

    `names` are those of the member, which the password must not hold. Raises CommandError if the
    policy finds it weak, or if there is none.
    """
    password = _type_password() if sys.stdin.isatty() else _read_password()
    weak = [policy.advice(weakness) for weakness in policy.weaknesses(password, names)]
    if weak:
        raise CommandError(" ".join(weak))
    return password


def _type_password() -> str:
    try:
        password, again = getpass.getpass("New password: "), getpass.getpass("Once more: ")
    except (EOFError, KeyboardInterrupt) as error:
        raise CommandError("\nNo password was given; nothing was changed.") from error
    if password != again:
        raise CommandError("The two are not the same; nothing was changed.")
    return password


def _read_password() -> str:
    try:
        return sys.stdin.readline().rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise CommandError(
            f"The password is no text in {sys.stdin.encoding}; nothing was changed."
        ) from error


def mail_base_url(settings: Settings) -> str:
    """Return the root of the link in a mail. Raises CommandError if the settings do not tell it."""
    if settings.base_url:
        return settings.base_url
    if settings.store != "sqlite" and settings.endpoint is None:
        raise CommandError("STRATABASE_BASE_URL: is missing; the link in the mail must lead to the service.")
    # The service runs on this machine.
    if not settings.port:
        raise CommandError(
            "PORT: 0 is any port; give the one on which the service listens, for the link in the mail."
        )
    return root_url(settings.host, settings.port)
