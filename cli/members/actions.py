"""The actions on members, one function each; every one yields what to print."""

import argparse
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cli.fault import Fault
from cli.members.owners import handed_over, resolved
from cli.members.password import asked
from cli.server.listener import root_of
from stratabase.bootstrap import Instance
from stratabase.domain.members.member import Member
from stratabase.domain.members.refusals import NoSuchMember
from stratabase.operations.members.rules import CONSOLE
from stratabase.settings import Settings

Options = argparse.Namespace
Action = Callable[[Instance, Options], Iterator[str]]


def do(settings: Settings, options: Options) -> Iterator[str]:
    """Do what the options say. Raises Refusal, Fault, and what a broken model or store raises."""
    instance = Instance(settings)
    try:
        yield from _ACTIONS[options.action](instance, options)
    finally:
        instance.close()


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
    given = {name: getattr(options, name) for name in ("username", "email", "profile")}
    given |= {"language": options.language} if options.language else {}
    if options.ask_password:
        password = asked(instance.member_services.policy, (options.username, options.email))
        member = instance.member_services.create_silently(CONSOLE, given)
        instance.member_services.update(CONSOLE, member.id, {"password": password})
        yield f'Made "{member.username}", with the id {member.id}.'
    else:
        member = instance.member_services.create(CONSOLE, given, base_url(instance.settings))
        yield f'Made "{member.username}", with the id {member.id}. A mail to {member.email} is on its way.'


def _set_profile(instance: Instance, options: Options) -> Iterator[str]:
    member = _changed(instance, options, {"profile": options.profile})
    yield f'"{member.username}" has the profile {member.profile} now.'


def _set_email(instance: Instance, options: Options) -> Iterator[str]:
    member = _changed(instance, options, {"email": options.email})
    yield f'"{member.username}" has the e-mail address {member.email} now.'


def _set_password(instance: Instance, options: Options) -> Iterator[str]:
    member = _named(instance, options)
    password = asked(instance.member_services.policy, (member.username, member.email))
    instance.member_services.update(CONSOLE, member.id, {"password": password})
    yield f'"{member.username}" has the new password now; tokens from before are good no more.'


def _reset_password(instance: Instance, options: Options) -> Iterator[str]:
    member = _named(instance, options)
    instance.member_services.recovery.start(CONSOLE, member.id, base_url(instance.settings))
    yield f"A mail to {member.email} is on its way; the old password is good until the link is used."


def _disable(instance: Instance, options: Options) -> Iterator[str]:
    member = _changed(instance, options, {"disabled": True})
    yield f'"{member.username}" is disabled: within 3 seconds nobody comes in by that name.'


def _enable(instance: Instance, options: Options) -> Iterator[str]:
    member = _changed(instance, options, {"disabled": False})
    yield f'"{member.username}" may come in again; tokens from before stay ended.'


def _delete(instance: Instance, options: Options) -> Iterator[str]:
    member = _named(instance, options)
    instance.member_services.remove(CONSOLE, member.id)
    yield f'"{member.username}" is deleted.'


def _hand_over(instance: Instance, options: Options) -> Iterator[str]:
    given = options.owner, options.to, options.class_name
    yield from handed_over(instance, *given, former=options.former)


def _resolve_owners(instance: Instance, options: Options) -> Iterator[str]:
    is_done = True
    for line in resolved(instance, again=options.again):
        yield line
        is_done = False
    if is_done:
        yield "All names of members in objects have the ids of their members already."


_ACTIONS: Mapping[str, Action] = {
    "list": _list,
    "create": _create,
    "set-profile": _set_profile,
    "set-email": _set_email,
    "set-password": _set_password,
    "reset-password": _reset_password,
    "disable": _disable,
    "enable": _enable,
    "delete": _delete,
    "hand-over": _hand_over,
    "resolve-owners": _resolve_owners,
}


def _named(instance: Instance, options: Options) -> Member:
    try:
        return instance.member_services.read.named(CONSOLE, options.username)
    except NoSuchMember as refusal:
        raise Fault(
            f'There is no member "{options.username}"; `stratabase members list` shows all.'
        ) from refusal


def _changed(instance: Instance, options: Options, given: Mapping[str, Any]) -> Member:
    return instance.member_services.update(CONSOLE, _named(instance, options).id, given)


def base_url(settings: Settings) -> str:
    """Return the root of the link in a mail."""
    if settings.base_url:
        return settings.base_url
    if settings.store == "sqlite" or settings.endpoint is not None:
        return _here(settings)
    raise Fault("STRATABASE_BASE_URL: is missing; the link in the mail must lead to the service.")


def _here(settings: Settings) -> str:
    """Return where the service of this machine listens."""
    if not settings.port:
        raise Fault(
            "PORT: 0 is any port; give the one on which the service listens, for the link in the mail."
        )
    return root_of(settings.host, settings.port)
