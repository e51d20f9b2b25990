"""`stratabase keys`: shows the keys that sign tokens, and makes a new one."""

import argparse
from collections.abc import Iterator, Mapping

from stratabase.bootstrap.storage import open_keyring
from stratabase.cli.subcommands import Options, Subcommand, add_subcommands
from stratabase.cli.terminal.command_error import CommandError, text_with_cause
from stratabase.cli.terminal.settings import read_settings
from stratabase.clock import SystemClock
from stratabase.domain.issues.refusals import Unavailable
from stratabase.domain.members.key_rotation import KeyPhase, KeyState, key_phases
from stratabase.domain.objects.instant import Instant, format_instant
from stratabase.operations.auth.signing_keys import KeyRotation, RotateKeys
from stratabase.operations.ports import Keyring
from stratabase.settings import Settings
from stratabase.store.ids import TimeOrderedIds
from stratabase.unusable_store import UnusableStore


def configure(parser: argparse.ArgumentParser) -> None:
    """Add a subcommand for each thing that can be done with the keys."""
    add_subcommands(parser, _SUBCOMMANDS)


def run(options: Options) -> int:
    """Run the subcommand, and print the lines that it yields."""
    settings = read_settings()
    try:
        for line in options.subcommand(settings, options):
            print(line)
    except (UnusableStore, Unavailable) as error:
        raise CommandError(text_with_cause(error)) from error
    return 0


def _list(settings: Settings, _options: Options) -> Iterator[str]:
    """Yield a line for each key; nothing that is secret."""
    found = key_phases(_keyring(settings).keys(), SystemClock().now(), _token_milliseconds(settings))
    if not found:
        yield "There is no key yet; the first token makes one."
    for phase in found:
        yield f"{phase.key.id:<26}  since {_format_instant(phase.key.since)}  {_format_state(phase)}"


def _rotate(settings: Settings, options: Options) -> Iterator[str]:
    """Have a new key sign, and yield what that means."""
    rotate = RotateKeys(_keyring(settings), SystemClock(), TimeOrderedIds(), _token_milliseconds(settings))
    rotation = rotate(at_once=options.at_once)
    yield from _rotation_at_once_lines(rotation) if options.at_once else _rotation_lines(rotation)


_SUBCOMMANDS: Mapping[str, Subcommand] = {
    "list": Subcommand(
        _list, "print the ids of the keys, since when each signs, and what it is good for now"
    ),
    "rotate": Subcommand(
        _rotate,
        "make a new key, which signs as soon as every process knows it; no token ends",
        (
            (
                "--at-once",
                {
                    "action": "store_true",
                    "help": (
                        "the keys were stolen: every other key goes now, and everybody has to sign in again"
                    ),
                },
            ),
        ),
    ),
}


def _keyring(settings: Settings) -> Keyring:
    return open_keyring(settings)


def _token_milliseconds(settings: Settings) -> int:
    """Return for how long a token is good."""
    return settings.token_minutes * 60_000


def _rotation_lines(rotation: KeyRotation) -> Iterator[str]:
    new = "Key" if rotation.made else "A new key is on its way already: key"
    yield f"{new} {rotation.key.id} signs from {_format_instant(rotation.key.since)} on. No token ends."
    if rotation.dropped:
        yield f"Gone, since nothing that they signed is good any more: {', '.join(rotation.dropped)}."


def _rotation_at_once_lines(rotation: KeyRotation) -> Iterator[str]:
    yield f"Key {rotation.key.id} signs now; all others are gone ({len(rotation.dropped)})."
    yield "Within a minute no token from before is good any more: everybody has to sign in again."


def _format_state(phase: KeyPhase) -> str:
    end = phase.end if phase.state is KeyState.RETIRED else None
    return phase.state.value if end is None else f"{phase.state.value} until {_format_instant(end)}"


def _format_instant(instant: Instant) -> str:
    return format_instant(instant) if instant else "the beginning           "
