"""`stratabase members`: shows and changes the members, as an administrator would, from the machine itself."""

import argparse
from collections.abc import Mapping
from typing import Any

from cli.fault import Fault, explained
from cli.server import configuration

HELP = "show, make and change members"

Argument = tuple[str, dict[str, Any]]
_USERNAME: Argument = ("username", {"help": "the member's username, in whatever case"})
_PROFILE: Argument = ("profile", {"help": "a profile of the model"})
ACTIONS: Mapping[str, tuple[str, tuple[Argument, ...]]] = {
    "list": ("print all members", ()),
    "create": (
        "make a member, who gets a mail with a link to choose a password",
        (
            _USERNAME,
            ("email", {"help": "where mail reaches the member"}),
            _PROFILE,
            ("--language", {"help": "the language of mail and pages, such as en or it"}),
            (
                "--ask-password",
                {"action": "store_true", "help": "ask for the password here, and send no mail"},
            ),
        ),
    ),
    "set-profile": ("give a member another profile", (_USERNAME, _PROFILE)),
    "set-email": (
        "give a member another e-mail address, which need not be confirmed",
        (_USERNAME, ("email", {"help": "where mail reaches the member"})),
    ),
    "set-password": ("give a member another password, which is asked for", (_USERNAME,)),
    "reset-password": ("mail a member a link to choose another password", (_USERNAME,)),
    "disable": ("let a member in no more, and end the member's tokens", (_USERNAME,)),
    "enable": ("let a disabled member in again", (_USERNAME,)),
    "delete": ("delete a member, whose objects stay", (_USERNAME,)),
    "hand-over": (
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
    "resolve-owners": (
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
"""What can be done, what that means, and what must be said."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Say what it can do with members."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True, dest="action")
    for name, (about, arguments) in ACTIONS.items():
        action = actions.add_parser(name, help=about, description=about)
        for flag, how in arguments:
            action.add_argument(flag, **how)


def run(options: argparse.Namespace) -> int:
    """Do one of the actions."""
    settings = configuration.read_settings()
    if settings.store == "sqlite":
        configuration.make_home(settings.home)
    from cli.members import actions  # noqa: PLC0415 - `stratabase --help` needs none of it
    from stratabase.domain.issues.refusals import Refusal  # noqa: PLC0415
    from stratabase.model.reading import InvalidModel  # noqa: PLC0415
    from stratabase.settings import BadSettings  # noqa: PLC0415
    from stratabase.store.sqlite.errors import UnusableStore  # noqa: PLC0415

    try:
        for line in actions.do(settings, options):
            print(line)
    except (Refusal, InvalidModel, BadSettings, UnusableStore) as error:
        raise Fault(explained(error)) from error
    return 0
