"""A certified identity provider (npm `oidc-provider`), which runs as a process of its own."""

import json
import os
import signal
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from stratabase.terminal.processes import tie_to_parent
from tests.scenarios.node_scripts import find_node, scripts
from tests.service import DEADLINE, free_port

CLIENT_SECRET = "only the tests know this secret"
API = "urn:example:hr"
"""The audience of access tokens that are meant for the service."""


class IdentityProvider(NamedTuple):
    """A running provider, and the service that is its client."""

    name: str
    port: int
    service: str
    """The root URL of the service."""

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def control(self, **changes: Any) -> None:
        """Change the provider: `people` by subject, and `rotate` for new keys."""
        self._post("/control", json.dumps(changes).encode(), {})

    def person(self, subject: str, groups: Sequence[str] = ("staff",), **claims: object) -> None:
        """Add or replace a person, whose username is the subject if nothing else is said."""
        usual = {"preferred_username": subject, "email": f"{subject}@example.org", "email_verified": True}
        self.control(people={subject: {**usual, "groups": groups, **claims}})

    def program_token(self) -> str:
        """Return an access token of the client itself, for the service."""
        body = f"grant_type=client_credentials&resource={API}&scope=profile"
        return str(self._token(body)["access_token"])

    def row(self, **options: object) -> Mapping[str, object]:
        """Return the row of this provider in the document of the service."""
        return {
            "name": self.name,
            "label": f"The {self.name}",
            "issuer": self.issuer,
            "clientId": "hr",
            "clientSecret": CLIENT_SECRET,
            "mayBePrivate": True,
            "createsMembers": True,
            "profiles": {"claim": "groups", "values": {"admins": "Administrator", "staff": "Manager"}},
            "accessTokens": {"audience": API, "mark": "at+jwt"},
            **options,
        }

    def client(self, *pages: str) -> Mapping[str, object]:
        """Return the client in the settings of the provider. `pages`: where signing out can end."""
        return {
            "client_id": "hr",
            "client_secret": CLIENT_SECRET,
            "redirect_uris": [f"{self.service}/public/signIn/{self.name}/callback"],
            "post_logout_redirect_uris": pages,
            "grant_types": ["authorization_code", "client_credentials"],
            "response_types": ["code"],
        }

    def _token(self, body: str) -> Any:
        client = urllib.request.HTTPPasswordMgrWithPriorAuth()
        client.add_password(None, self.issuer, "hr", CLIENT_SECRET, is_authenticated=True)
        opener = urllib.request.build_opener(urllib.request.HTTPBasicAuthHandler(client))
        with opener.open(f"{self.issuer}/token", body.encode(), timeout=DEADLINE) as response:
            return json.load(response)

    def _post(self, path: str, body: bytes, headers: Mapping[str, str]) -> None:
        request = urllib.request.Request(f"{self.issuer}{path}", body, dict(headers))
        with urllib.request.urlopen(request, timeout=DEADLINE) as response:
            assert response.status == 204


@contextmanager
def running_provider(name: str, service: str, *pages: str) -> Iterator[IdentityProvider]:
    """Run a provider whose only client is a service. `pages`: where signing out can end."""
    provider = IdentityProvider(name, free_port(), service)
    environment = {
        "PATH": os.environ["PATH"],
        "PORT": str(provider.port),
        "CLIENTS": json.dumps([provider.client(*pages)]),
    }
    with scripts() as folder, (folder / "provider.log").open("wb") as log:
        command = tie_to_parent([find_node(), str(folder / "identity-provider.mjs")], signal.SIGTERM)
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
        try:
            _wait_until_it_answers(provider, process, folder / "provider.log")
            yield provider
        finally:
            process.terminate()
            process.wait(DEADLINE)


def _wait_until_it_answers(provider: IdentityProvider, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + DEADLINE
    while time.monotonic() < deadline:
        assert process.poll() is None, f"the provider ended:\n{log.read_text()}"
        try:
            with urllib.request.urlopen(f"{provider.issuer}/.well-known/openid-configuration", timeout=5):
                return
        except OSError:
            time.sleep(0.01)
    raise AssertionError(f"the provider does not answer:\n{log.read_text()}")
