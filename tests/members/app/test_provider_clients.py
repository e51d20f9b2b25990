"""The clients of the providers whose document can change, can be damaged, or can't be read for a while."""

import io
import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.model.model import Profile
from stratabase.core.observe import Log
from stratabase.core.unusable_store import UnusableStore
from stratabase.members.app.provider_services import DOCUMENT_FRESHNESS, ProviderClients, ProviderFile
from stratabase.values.messages import verbatim
from tests.fakes import FrozenClock

PROFILES = {"Member": Profile("Member")}
SECRET = "a secret that no message may show"


def provider(name: str, **more: str) -> dict[str, str]:
    fields = {"label": name, "issuer": f"https://{name}.example.com", "clientId": "hr"}
    return {"name": name, **fields, "clientSecret": SECRET, **more}


def document(*providers: dict[str, str]) -> str:
    return json.dumps({"providers": providers})


class Secret:
    """A document that a test sets. An exception is raised in place of it."""

    place = "STRATABASE_X (x)"

    def __init__(self, content: str | Exception) -> None:
        self.content = content
        self.reads = 0

    def read(self) -> str:
        self.reads += 1
        if isinstance(self.content, Exception):
            raise self.content
        return self.content


class Registry:
    """The clients with a settable clock and a log."""

    def __init__(self, content: str | Exception) -> None:
        self.secret = Secret(content)
        self.clock = FrozenClock()
        self.logged = io.StringIO()
        log = Log(stream=self.logged, service=f"registry{uuid4()}")
        self.clients = ProviderClients(self.secret, PROFILES, self.clock, log)

    def a_minute_later(self, content: str | Exception) -> None:
        self.secret.content = content
        self.clock.instant += DOCUMENT_FRESHNESS


def test_an_instance_without_a_document_has_no_providers() -> None:
    clients = ProviderClients(None, PROFILES, FrozenClock(), Log())
    clients.check()
    assert dict(clients) == {}


def test_the_document_is_read_once_in_a_minute() -> None:
    registry = Registry(document(provider("b"), provider("a")))
    assert [*registry.clients] == ["b", "a"]
    assert registry.clients["a"].provider.label == "a"
    assert registry.secret.reads == 1
    registry.clock.instant += DOCUMENT_FRESHNESS - 1
    assert len(registry.clients) == 2
    assert registry.secret.reads == 1


def test_a_client_lives_as_long_as_the_settings_of_its_provider_stay() -> None:
    """So it keeps the keys of the provider."""
    registry = Registry(document(provider("a"), provider("b")))
    a, b = registry.clients["a"], registry.clients["b"]
    registry.a_minute_later(document(provider("a"), provider("b", label="New"), provider("c")))
    assert registry.clients["a"] is a
    assert registry.clients["b"] is not b
    assert [each.provider.label for each in registry.clients.values()] == ["a", "New", "c"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (document(provider("a", issuer="x")), "providers[0].issuer"),
        ("{", "the document is not JSON"),
        (Unavailable(verbatim("busy")), "busy"),
        (UnusableStore("gone"), "gone"),
    ],
)
def test_a_document_that_becomes_unusable_leaves_the_providers_of_before(
    content: str | Exception, said: str
) -> None:
    registry = Registry(document(provider("a")))
    a = registry.clients["a"]
    registry.a_minute_later(content)
    assert dict(registry.clients) == {"a": a}
    assert dict(registry.clients) == {"a": a}
    assert registry.secret.reads == 2  # once a minute, also while it fails
    assert said in registry.logged.getvalue()
    assert registry.logged.getvalue().count("\n") == 1
    assert SECRET not in registry.logged.getvalue()
    registry.a_minute_later(document(provider("c")))
    assert [*registry.clients] == ["c"]


@pytest.mark.parametrize("error", [Unavailable(verbatim("busy")), UnusableStore("gone")])
def test_a_document_that_could_never_be_read_is_an_error_until_it_can(error: Exception) -> None:
    registry = Registry(error)
    for _ in range(2):
        with pytest.raises(type(error)):
            registry.clients.check()
    registry.secret.content = document(provider("a"))
    assert [*registry.clients] == ["a"]


def test_all_mistakes_of_the_document_are_named_with_the_setting() -> None:
    registry = Registry(document(provider("a", issuer="x", label="")))
    with pytest.raises(UnusableStore) as refused:
        registry.clients.check()
    setting, *mistakes = str(refused.value).splitlines()
    assert setting == "STRATABASE_X (x):"
    assert [each.split(":")[0].strip() for each in mistakes] == ["providers[0].label", "providers[0].issuer"]
    assert SECRET not in str(refused.value)


def test_the_document_can_be_a_file(tmp_path: Path) -> None:
    file = tmp_path / "providers.json"
    clients: Any = ProviderClients(ProviderFile(file), PROFILES, FrozenClock(), Log())
    with pytest.raises(UnusableStore) as refused:
        clients.check()
    assert str(refused.value) == (
        f"STRATABASE_IDENTITY_PROVIDERS ({file}): the file can't be read: No such file or directory."
    )
    file.write_text(document(provider("a")))
    assert [*clients] == ["a"]
