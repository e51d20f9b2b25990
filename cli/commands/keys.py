"""`stratabase keys`: shows the keys that sign tokens, and makes a new one."""

import argparse
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from cli.fault import Fault, explained
from cli.server import configuration

if TYPE_CHECKING:
    from stratabase.domain.members.key_rotation import KeyPhase
    from stratabase.domain.objects.instant import Instant
    from stratabase.operations.auth.signing_keys import KeyRotation
    from stratabase.operations.ports import Keyring
    from stratabase.settings import Settings

HELP = "show the keys that sign tokens, or have a new one sign"


def configure(parser: argparse.ArgumentParser) -> None:
    """Say what it can do with the keys."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    for name, (action, about) in ACTIONS.items():
        actions.add_parser(name, help=about, description=about).set_defaults(action=action)
    actions.choices["rotate"].add_argument(
        "--at-once",
        action="store_true",
        help="the keys were stolen: every other key goes now, and everybody has to sign in again",
    )


def run(options: argparse.Namespace) -> int:
    """Do one of the actions."""
    settings = configuration.read_settings()
    from stratabase.domain.issues.refusals import Unavailable  # noqa: PLC0415 - `stratabase --help` needs none of it
    from stratabase.store.sqlite.errors import UnusableStore  # noqa: PLC0415

    try:
        for line in options.action(settings, options):
            print(line)
    except (UnusableStore, Unavailable) as error:
        raise Fault(explained(error)) from error
    return 0


def show(settings: "Settings", _options: argparse.Namespace) -> Iterator[str]:
    """Yield a line for each key; nothing that is secret."""
    from stratabase.clock import SystemClock  # noqa: PLC0415 - see run
    from stratabase.domain.members.key_rotation import key_phases  # noqa: PLC0415

    found = key_phases(_keyring(settings).keys(), SystemClock().now(), _validity(settings))
    if not found:
        yield "There is no key yet; the first token makes one."
    for turn in found:
        yield f"{turn.key.id:<26}  since {_shown(turn.key.since)}  {_part(turn)}"


def rotate(settings: "Settings", options: argparse.Namespace) -> Iterator[str]:
    """Have a new key sign, and yield what that means."""
    from stratabase.clock import SystemClock  # noqa: PLC0415 - see run
    from stratabase.operations.auth.signing_keys import RotateKeys  # noqa: PLC0415
    from stratabase.store.ids import TimeOrderedIds  # noqa: PLC0415

    do = RotateKeys(_keyring(settings), SystemClock(), TimeOrderedIds(), _validity(settings))
    rotation = do(at_once=options.at_once)
    yield from _told_at_once(rotation) if options.at_once else _told(rotation)


ACTIONS: dict[str, tuple[Callable[["Settings", argparse.Namespace], Iterator[str]], str]] = {
    "list": (show, "print the ids of the keys, since when each signs, and what it is good for now"),
    "rotate": (rotate, "make a new key, which signs as soon as every process knows it; no token ends"),
}


def _keyring(settings: "Settings") -> "Keyring":
    from stratabase.store.dynamodb.aws import Endpoint  # noqa: PLC0415 - see run
    from stratabase.store.keyring.choice import keyring_of  # noqa: PLC0415

    place = Endpoint(settings.region, settings.endpoint)
    return keyring_of(settings.home, settings.signing_keys, place)


def _validity(settings: "Settings") -> int:
    return settings.token_minutes * 60_000


def _told(rotation: "KeyRotation") -> Iterator[str]:
    new = "Key" if rotation.made else "A new key is on its way already: key"
    yield f"{new} {rotation.key.id} signs from {_shown(rotation.key.since)} on. No token ends."
    if rotation.dropped:
        yield f"Gone, since nothing that they signed is good any more: {', '.join(rotation.dropped)}."


def _told_at_once(rotation: "KeyRotation") -> Iterator[str]:
    yield f"Key {rotation.key.id} signs now; all others are gone ({len(rotation.dropped)})."
    yield "Within a minute no token from before is good any more: everybody has to sign in again."


def _part(turn: "KeyPhase") -> str:
    from stratabase.domain.members.key_rotation import KeyState  # noqa: PLC0415 - see run

    end = turn.end if turn.state is KeyState.RETIRED else None
    return turn.state.value if end is None else f"{turn.state.value} until {_shown(end)}"


def _shown(instant: "Instant") -> str:
    from stratabase.domain.objects.instant import format_instant  # noqa: PLC0415 - see run

    return format_instant(instant) if instant else "the beginning           "
