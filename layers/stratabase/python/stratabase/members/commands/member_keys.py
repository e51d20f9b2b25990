"""The subcommands of `stratabase members` for API keys: they list, make and end the keys of a member."""

import sys
from collections.abc import Iterator, Mapping

from stratabase.core.app.app import App
from stratabase.core.domain.caller import CONSOLE
from stratabase.core.domain.objects.instant import format_instant
from stratabase.members.app.member_services import MemberServices
from stratabase.members.commands.named_member import USERNAME, find_member
from stratabase.members.member import fold_name
from stratabase.terminal.arguments import Options, Subcommand
from stratabase.terminal.table import table_lines


def _list_keys(instance: App, options: Options) -> Iterator[str]:
    member = find_member(instance, options)
    listed = instance.part(MemberServices).list_keys(CONSOLE, member.id)
    rows = [("ID", "NAME", "EXPIRES", "LAST USED", "PROFILE", "NETWORKS")]
    for key, used in listed:
        end, use = (None if each is None else format_instant(each) for each in (key.until, used))
        texts = key.id, key.name, end or "never", use or "never", key.profile or member.profile
        rows.append((*texts, " ".join(key.networks) or "any"))
    yield from table_lines(rows) if listed else [f'"{member.username}" has no API keys.']


def _create_key(instance: App, options: Options) -> Iterator[str]:
    member = find_member(instance, options)
    values = {
        "name": options.name,
        "expires": options.expires,
        "days": options.days,
        "profile": options.profile,
        "networks": " ".join(options.network),
    }
    made = instance.part(MemberServices).create_key(CONSOLE, member.id, values)
    # The key stands alone on the standard output, so that another command can read it.
    print(f'API key "{made.key.name}" of "{member.username}", which nobody can read again:', file=sys.stderr)
    yield made.text


def _end_key(instance: App, options: Options) -> Iterator[str]:
    member = find_member(instance, options)
    keys = [key for key, _used in instance.part(MemberServices).list_keys(CONSOLE, member.id)]
    named = [key.id for key in keys if fold_name(key.name) == fold_name(options.key)]
    key = instance.part(MemberServices).end_key(CONSOLE, member.id, next(iter(named), options.key))
    yield f'Ended the API key "{key.name}" of "{member.username}". It is refused within 3 seconds.'


KEY_SUBCOMMANDS: Mapping[str, Subcommand] = {
    "keys": Subcommand(
        _list_keys, "list the API keys of a member", (USERNAME,), example="stratabase members keys importer"
    ),
    "create-key": Subcommand(
        _create_key,
        "make an API key for a program, and print it",
        (
            USERNAME,
            ("name", {"metavar": "NAME", "help": "what the key is for"}),
            ("--expires", {"metavar": "DATE", "help": "the date or instant in ISO 8601 at which it ends"}),
            ("--days", {"type": int, "help": "the number of days after which it ends"}),
            ("--profile", {"help": "a profile that lies within that of the program"}),
            (
                "--network",
                {
                    "action": "append",
                    "default": [],
                    "metavar": "CIDR",
                    "help": "a network that the key can be sent from; you can repeat this option",
                },
            ),
        ),
        example="stratabase members create-key importer nightly --days 90 --network 203.0.113.0/24",
    ),
    "end-key": Subcommand(
        _end_key,
        "end an API key of a member",
        (USERNAME, ("key", {"metavar": "KEY", "help": "the name or the ID of the key"})),
        example="stratabase members end-key importer nightly",
    ),
}
