"""The identity providers of an instance come from the file or the secret that its settings name."""

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, cast

import pytest

from stratabase.core.app.app import App
from stratabase.core.features import SERVICES
from stratabase.core.settings import Settings
from stratabase.members.app.provider_services import ProviderServices
from stratabase.members.providers.refusals import ProviderUnavailable
from stratabase.members.settings import MemberSettings
from tests.cli.terminal import Project, run
from tests.members.providers.hostile_provider import running_provider

PROVIDER = {
    "name": "corp",
    "label": "Example Inc.",
    "issuer": "https://id.example.com",
    "clientId": "hr",
    "clientSecret": "a secret",
}
DOCUMENT = json.dumps({"providers": [PROVIDER]})
MODEL = 'extend schema @application(name: "Notes") @profile(name: "Administrator", administrator: true)\n'
Build = Callable[..., App]


@pytest.fixture
def build(tmp_path: Path) -> Iterator[Build]:
    """Build an instance with settings."""
    (tmp_path / "model.graphql").write_text(f"{MODEL}type Note {{ name: String }}\n")
    with ExitStack() as stack:

        def built(*others: object, **settings: Any) -> App:
            instance = App(
                Settings(home=tmp_path, model=tmp_path / "model.graphql", others=others, **settings)
            )
            stack.callback(instance.close)
            return instance

        yield built


class Secret:
    place = "a secret"

    def read(self) -> str:
        return DOCUMENT.replace("corp", "far")


def secret_of(settings: Settings) -> Secret:
    assert settings.identity_providers_secret == "hr/providers"
    return Secret()


def test_the_settings_name_a_file_or_a_secret(
    build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = cast("dict[str, str]", SERVICES)
    monkeypatch.setitem(table, "identity_providers_secret", f"{__name__}:secret_of")
    file = tmp_path / "providers.json"
    file.write_text(DOCUMENT)
    own = MemberSettings(identity_providers=file)
    assert [*build().part(ProviderServices).clients] == []
    assert [*build(own).part(ProviderServices).clients] == ["corp"]
    assert [*build(own, identity_providers_secret="hr/providers").part(ProviderServices).clients] == ["far"]


def test_a_service_does_not_start_with_a_document_that_has_mistakes(tmp_path: Path) -> None:
    project = Project(tmp_path)
    file = tmp_path / "providers.json"
    file.write_text(DOCUMENT.replace("https://id.example.com", "id"))

    code, printed = run(project, "serve", "--no-reload", STRATABASE_IDENTITY_PROVIDERS=str(file))

    assert code == 1
    assert f"STRATABASE_IDENTITY_PROVIDERS ({file}):" in printed
    assert "providers[0].issuer" in printed
    assert "a secret" not in printed


def test_a_provider_that_can_not_be_read_is_logged(
    build: Build, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="stratabase")
    with running_provider() as hostile:
        hostile.metadata["token_endpoint"] = "http://10.0.0.1/token"
        provider = {**PROVIDER, "issuer": hostile.issuer, "mayBePrivate": True}
        file = tmp_path / "providers.json"
        file.write_text(json.dumps({"providers": [provider]}))
        client = build(MemberSettings(identity_providers=file)).part(ProviderServices).clients["corp"]
        with pytest.raises(ProviderUnavailable):
            client.check()
    (record,) = (vars(each) for each in caplog.records)
    assert (record["levelname"], record["message"]) == ("WARNING", "Identity provider not readable")
    assert record["fault"] == "address"
    assert record["reason"].endswith("token_endpoint: it is not encrypted; use https")
