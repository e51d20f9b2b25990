"""`stratabase keys`: lists and rotates the keys that sign tokens."""

import argparse
from collections.abc import Iterator, Mapping

from stratabase.core.app.platform import platform_of
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.instant import Instant, format_instant
from stratabase.core.settings import Settings
from stratabase.core.store.ids import TimeOrderedIds
from stratabase.core.unusable_store import UnusableStore
from stratabase.core.waiting import SystemClock
from stratabase.members.keys.key_rotation import KeyPhase, KeyState, key_phases
from stratabase.members.ports import Keyring, member_platform
from stratabase.members.settings import MemberSettings
from stratabase.members.sign_in.signing_keys import KeyRotation, RotateKeys
from stratabase.terminal.arguments import Options, Subcommand, add_subcommands
from stratabase.terminal.command_error import CommandError, text_with_cause
from stratabase.terminal.settings import make_data_folder, read_settings, require_store


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands."""
    add_subcommands(parser, _SUBCOMMANDS)


def run(options: Options) -> int:
    """Run the subcommand, and print the lines that it yields."""
    settings = read_settings()
    if settings.signing_keys is None:
        require_store(settings)
    try:
        for line in options.subcommand(settings, options):
            print(line)
    except (UnusableStore, Unavailable) as error:
        raise CommandError(text_with_cause(error)) from error
    return 0


def _list(settings: Settings, _options: Options) -> Iterator[str]:
    """Yield a line for each key, without its secret."""
    phases = key_phases(_keyring(settings).keys(), SystemClock().now(), _token_milliseconds(settings))
    if not phases:
        yield "No keys exist. Stratabase creates one with the first token."
    for phase in phases:
        yield f"{phase.key.id:<26}  since {_format_instant(phase.key.since)}  {_format_state(phase)}"


def _rotate(settings: Settings, options: Options) -> Iterator[str]:
    """Rotate the keys, and yield lines that describe the result."""
    if settings.signing_keys is None:
        make_data_folder(settings.home)  # with DynamoDB, it may not exist yet
    rotate = RotateKeys(_keyring(settings), SystemClock(), TimeOrderedIds(), _token_milliseconds(settings))
    rotation = rotate(at_once=options.at_once)
    yield from _rotation_at_once_lines(rotation) if options.at_once else _rotation_lines(rotation)


_SUBCOMMANDS: Mapping[str, Subcommand] = {
    "list": Subcommand(_list, "list the keys: ID, start of use and state", example="stratabase keys list"),
    "rotate": Subcommand(
        _rotate,
        "create a signing key that takes effect when all processes have read it; existing tokens stay valid",
        (
            (
                "--at-once",
                {
                    "action": "store_true",
                    "help": ("use after a leak: remove all other keys now; every member must sign in again"),
                },
            ),
        ),
        example="stratabase keys rotate",
    ),
}


def _keyring(settings: Settings) -> Keyring:
    return member_platform(platform_of(settings)).keyring()


def _token_milliseconds(settings: Settings) -> int:
    """Return the validity of a token in milliseconds."""
    return settings.of(MemberSettings).token_minutes * 60_000


def _rotation_lines(rotation: KeyRotation) -> Iterator[str]:
    start = f"{rotation.key.id} signs tokens from {_format_instant(rotation.key.since)}"
    yield f"Key {start}." if rotation.created else f"A new key is already waiting: key {start}."
    yield "Existing tokens stay valid."
    if rotation.dropped:
        yield f"Removed, because all tokens that they signed have expired: {', '.join(rotation.dropped)}."


def _rotation_at_once_lines(rotation: KeyRotation) -> Iterator[str]:
    yield f"Key {rotation.key.id} signs tokens now. Other keys removed: {len(rotation.dropped)}."
    yield "Earlier tokens become invalid within a minute. Every member must sign in again."


def _format_state(phase: KeyPhase) -> str:
    end = phase.end if phase.state is KeyState.RETIRED else None
    return phase.state.value if end is None else f"{phase.state.value} until {_format_instant(end)}"


def _format_instant(instant: Instant) -> str:
    return format_instant(instant) if instant else "the beginning           "
