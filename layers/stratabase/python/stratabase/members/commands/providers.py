"""`stratabase providers`: lists and checks the identity providers with which members can sign in."""

import argparse
from collections.abc import Iterator, Mapping

from stratabase.core.app.app import App
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.model.reading import InvalidModel
from stratabase.core.unusable_store import UnusableStore
from stratabase.members.app.provider_services import ProviderServices
from stratabase.members.providers.client import ProviderClient
from stratabase.members.providers.refusals import ProviderUnavailable
from stratabase.terminal.arguments import Options, Subcommand, add_subcommands
from stratabase.terminal.command_error import CommandError, text_with_cause
from stratabase.terminal.settings import read_settings, require_model
from stratabase.values.wording import pluralize


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands."""
    add_subcommands(parser, _SUBCOMMANDS)


def run(options: Options) -> int:
    """Run the subcommand, and print the lines that it yields. It creates no data."""
    settings = read_settings()
    require_model(settings)
    try:
        instance = App(settings)
        try:
            for line in options.subcommand(instance.part(ProviderServices).clients, options):
                print(line)
        finally:
            instance.close()
    except (UnusableStore, Unavailable, InvalidModel) as error:
        raise CommandError(text_with_cause(error)) from error
    return 0


def _list(clients: Mapping[str, ProviderClient], _: Options) -> Iterator[str]:
    """Yield a line for each provider, without its secret."""
    for name, client in clients.items():
        yield f"{name}  {client.provider.label}  {client.provider.issuer}"
    if not clients:
        yield "There are no providers. Set STRATABASE_IDENTITY_PROVIDERS to a file that names them."


def _check(clients: Mapping[str, ProviderClient], options: Options) -> Iterator[str]:
    """Yield a line for each provider that can be used. Raises CommandError with a line for each other."""
    if options.name is not None and options.name not in clients:
        known = ", ".join(clients) or "there are none"
        raise CommandError(f'There is no provider "{options.name}". Providers: {known}.')
    unusable = []
    for name in clients if options.name is None else (options.name,):
        try:
            count = clients[name].check()
        except ProviderUnavailable as error:
            unusable.append(f"{name}: {error}")
        else:
            yield f"{name}: its metadata is right, and it has {pluralize(count, 'usable key')}."
    if unusable:
        raise CommandError("\n".join(unusable))


_SUBCOMMANDS: Mapping[str, Subcommand] = {
    "list": Subcommand(
        _list,
        "check the document with the providers, and list them: name, label and issuer",
        example="stratabase providers list",
    ),
    "check": Subcommand(
        _check,
        "read the metadata and the keys of the providers, as a sign-in does",
        (("name", {"nargs": "?", "help": "the name of a provider (all of them)"}),),
        example="stratabase providers check corp",
    ),
}
