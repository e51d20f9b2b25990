"""The identity providers of an app, from the file or the secret that the settings name.

Their document can change while the app serves. Only the function `signin`, and the local server, import this.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import NamedTuple, Protocol

from stratabase.core.app.app import App
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.features import open_service
from stratabase.core.model.model import Profile
from stratabase.core.observe import Log
from stratabase.core.operations.ports import Clock
from stratabase.core.unusable_store import UnusableStore
from stratabase.members.providers.client import ProviderClient
from stratabase.members.providers.document import BadProviders, parse_providers
from stratabase.members.providers.provider import Provider
from stratabase.members.providers.refusals import ProviderUnavailable
from stratabase.members.settings import MemberSettings

DOCUMENT_FRESHNESS = 60_000
"""Milliseconds after which the document is read again."""


class ProviderDocument(Protocol):
    """Where the settings of the identity providers are."""

    @property
    def place(self) -> str:
        """The setting, with the place, for messages."""

    def read(self) -> str | bytes:
        """Return the document. Raises Unavailable, UnusableStore."""


class ProviderFile:
    """The document in a file of this machine."""

    def __init__(self, file: Path) -> None:
        self._file = file

    @property
    def place(self) -> str:
        """The setting, with the path of the file."""
        return f"STRATABASE_IDENTITY_PROVIDERS ({self._file})"

    def read(self) -> bytes:
        """Return the content of the file. Raises UnusableStore."""
        try:
            return self._file.read_bytes()
        except OSError as error:
            raise UnusableStore(f"{self.place}: the file can't be read: {error.strerror}.") from error


class _Read(NamedTuple):
    clients: Mapping[str, ProviderClient]
    tried: Instant


class ProviderClients(Mapping[str, ProviderClient]):
    """The clients of the providers by name, in the order of the document.

    A process sees a change of the document a minute later. A client lives on as long as the settings of its
    provider stay the same, so it keeps what it knows of the provider. If the document can't be read any more,
    or has mistakes, the log says so, and the providers of before stay. Each use raises Unavailable or
    UnusableStore if the document could never be read.
    """

    def __init__(
        self,
        document: ProviderDocument | None,
        profiles: Mapping[str, Profile],
        clock: Clock,
        log: Log,
        make: Callable[[Provider, Clock], ProviderClient] = ProviderClient,
    ) -> None:
        """`document`: None for an instance without providers. `profiles`: those of the model, by name."""
        self._document = document
        self._profiles = profiles
        self._clock = clock
        self._log = log
        self._make = make
        self._last = _Read({}, 0) if document is None else None

    def __getitem__(self, name: str) -> ProviderClient:
        return self._clients()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._clients())

    def __len__(self) -> int:
        return len(self._clients())

    def check(self) -> None:
        """Read the document, to know its mistakes at the start. Raises UnusableStore, Unavailable."""
        self._clients()

    def _clients(self) -> Mapping[str, ProviderClient]:
        last, document = self._last, self._document
        if document is None:
            return {}
        now = self._clock.now()
        if last is not None and 0 <= now - last.tried < DOCUMENT_FRESHNESS:
            return last.clients
        former = {} if last is None else last.clients
        try:
            clients = self._read(document, former)
        except (Unavailable, UnusableStore) as error:
            if last is None:
                raise
            self._log.error("Identity providers not readable", error=error)
            clients = former
        self._last = _Read(clients, now)
        return clients

    def _read(
        self, document: ProviderDocument, former: Mapping[str, ProviderClient]
    ) -> Mapping[str, ProviderClient]:
        try:
            providers = parse_providers(document.read(), self._profiles)
        except BadProviders as error:
            mistakes = "".join(f"\n  {each}" for each in error.mistakes)
            raise UnusableStore(f"{document.place}:{mistakes}") from error
        return {each.name: self._client(each, former.get(each.name)) for each in providers}

    def _client(self, provider: Provider, former: ProviderClient | None) -> ProviderClient:
        is_same = former is not None and former.provider == provider
        return former if former is not None and is_same else self._make(provider, self._clock)


class ProviderServices:
    """The clients of the identity providers of an app."""

    def __init__(self, app: App) -> None:
        self._app = app

    @cached_property
    def clients(self) -> ProviderClients:
        """The clients of the providers by name. The document is read when they are first used."""
        app = self._app
        make = partial(ProviderClient, report=self._report)
        return ProviderClients(self._document(), app.model.profiles, app.clock, app.log, make)

    def _report(self, error: ProviderUnavailable) -> None:
        # Only the log tells, as long as what was read before is used.
        self._app.log.warning("Identity provider not readable", fault=error.fault.value, reason=str(error))

    def check(self) -> None:
        """Read the document of the providers. Raises UnusableStore with all mistakes, Unavailable."""
        self.clients.check()

    def _document(self) -> ProviderDocument | None:
        secret: ProviderDocument | None = open_service("identity_providers_secret", self._app.settings)
        file = self._app.settings.of(MemberSettings).identity_providers
        return secret or (None if file is None else ProviderFile(file))
