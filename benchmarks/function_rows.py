"""Cold starts of all functions, from the start of the process to the first answer, with two models.

The functions run as Lambda runs them: with exactly the packages of the layers and nothing of this
environment, in AWS's runtime client, or in the runtime that streams. Python finds compiled files, as
`make build` makes them.
"""

import json
import os
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.function_process import Start, cold_start, proxy_event
from benchmarks.models import MODELS, ServedModel
from benchmarks.table import Figure, print_table
from stratabase.terminal.settings import EMULATOR_CREDENTIALS
from stratabase_aws.commands.emulator import emulator
from stratabase_aws.endpoint import AwsEndpoint, Credentials
from stratabase_aws.keys.secrets_manager import SecretsClient
from tests.lambda_stack.layers import Layers, lay_out
from tests.lambda_stack.template import FunctionDeclaration, read_template
from tests.repository import ROOT
from tests.service import PASSWORD

STARTS = 5
SECRET = "signing-keys"
MAX_CPU = {
    "tokens": 0.55,
    "signin": 0.55,
    "graphql": 0.75,
    "members": 0.5,
    "files": 0.65,
    "download": 0.65,
    "console": 0.25,
    "sweep": 0.65,
    "reindex": 0.4,
    "rotate": 0.5,
}
"""The limits of the CPU seconds to the first response with the large model, in the order of measurement.

The token that `tokens` issues is used by the others, and a rotation of the keys comes last.
"""
MAX_RATIO = 1.5
"""The limit of the ratio of the CPU time with the large model to that with the small one."""

ADMINISTRATOR = (
    "from stratabase_aws.functions import app; "
    "from stratabase.members.app.member_services import MemberServices; "
    "app().part(MemberServices).create_first_administrator()"
)
STORES = "app().is_store_reachable(); app().blobs"
_IMAGE = b"\x89PNG\r\n\x1a\n" + bytes(1000)

Environment = Mapping[str, str]


class Functions(NamedTuple):
    """The functions of the template by the name of their folder, and the settings that they have."""

    layers: Layers
    declared: Mapping[str, FunctionDeclaration]
    settings: Environment

    def start(self, name: str, event: Mapping[str, Any]) -> Start:
        """Return a cold start of a function. It answers the event without an error."""
        function = self.declared[name]
        environment = self.layers.environment(function, self.settings)
        start = cold_start(self.layers.command(function), function.file.parent, event, environment)
        assert start.status in {None, 200, 201}, start
        return start

    def median(self, name: str, event: Mapping[str, Any]) -> Start:
        """Return the median of several starts, after a first one that lets Python compile the modules."""
        starts = [self.start(name, event) for _ in range(1 + STARTS)][1:]
        return sorted(starts, key=lambda each: each.cpu)[STARTS // 2]


def main(folder: Path) -> None:
    """Measure each function with an emulator of DynamoDB, S3 and Secrets Manager."""
    if find_spec("awslambdaric") is None:
        print(
            "\nCold starts of the functions: not measured, since awslambdaric is not installed (Linux only)"
        )
        return
    with emulator() as address:
        declared = {each.file.parent.name: each for each in read_template(ROOT / "template.yaml").functions}
        functions = Functions(lay_out(folder / "layers"), declared, _settings(address, folder))
        print_table("Cold start", [*_figures("an empty function", _empty(functions, folder), None)])
        starts = {name: _measure(name, served, functions, folder) for name, served in MODELS.items()}
    small, large = starts["small"], starts["large"]
    print_table(
        "CPU with the large model beside the small one",
        [Figure(name, large[name] / small[name], "times", MAX_RATIO) for name in small],
    )


def _measure(name: str, served: ServedModel, functions: Functions, folder: Path) -> Mapping[str, float]:
    """Print the figures of each function with a model, and return the CPU seconds of each."""
    settings = {**functions.settings, "STRATABASE_MODEL": str(served.write_prepared(folder))}
    # The functions find the tables, the bucket and a member, as on AWS.
    makes = {"STRATABASE_CREATE_TABLES": "on", "STRATABASE_ADMIN_PASSWORD": PASSWORD}
    environment = os.environ | settings | makes
    subprocess.run([sys.executable, "-c", f"{ADMINISTRATOR}; {STORES}"], env=environment, check=True)
    found: dict[str, float] = {}
    figures: list[Figure] = []
    functions_with_model = functions._replace(settings=settings)
    events = _Events(served, functions_with_model)
    for function, max_cpu in MAX_CPU.items():
        start = functions_with_model.median(function, events.of(function))
        found[function] = start.cpu
        limit = max_cpu if name == "large" else None
        figures += _figures(function, start, limit)
    print_table(f"Cold start, {name} model", figures)
    return found


def _figures(name: str, start: Start, limit: float | None) -> Iterator[Figure]:
    yield Figure(f"{name}: CPU to the first answer", start.cpu, "s", limit)
    yield Figure(f"{name}: time to the first answer", start.seconds, "s")
    yield Figure(f"{name}: CPU of the same once more", start.repeat_cpu * 1000, "ms")
    yield Figure(f"{name}: memory", start.megabytes, "MB")


class _Events:
    """The event of each function for a model. What they need is made when it is first needed."""

    def __init__(self, served: ServedModel, functions: Functions) -> None:
        self._functions = functions
        self._served = served
        self._token = ""

    def of(self, function: str) -> Mapping[str, Any]:
        """Return the event that is measured for a function."""
        events: Mapping[str, Callable[[], Mapping[str, Any]]] = {
            "tokens": self._tokens,
            "signin": lambda: self._request("GET", "/public/signIn", None),
            "graphql": lambda: self._graphql({"query": self._served.query}),
            "members": lambda: self._request("GET", "/auth/administration/member", None),
            "files": self._upload,
            "download": self._download,
            "console": lambda: self._request("GET", "/console", None),
            "reindex": lambda: {"class": self._served.singleton},
            "sweep": lambda: {"source": "aws.events"},
            "rotate": lambda: {"source": "aws.events"},
        }
        return events[function]()

    def _tokens(self) -> Mapping[str, Any]:
        credentials = {"username": "admin", "password": PASSWORD}
        event = self._request("POST", "/public/token/getJwtToken", credentials)
        self._token = self._functions.start("tokens", event).body["access_token"]
        return event

    def _graphql(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        address = f"/auth/api/graphql/{self._served.application}"
        return self._request("POST", address, body, "/auth/api/graphql/{application}")

    def _upload(self) -> Mapping[str, Any]:
        event = self._request(
            "POST",
            f"/auth/file/{self._served.singleton.lower()}/logo",
            None,
            "/auth/file/{class}/{name}",
            {"class": self._served.singleton.lower(), "name": "logo"},
        )
        disposition = 'Content-Disposition: form-data; name="file"; filename="logo.png"'
        body = b"--b\r\n" + disposition.encode() + b"\r\n\r\n" + _IMAGE + b"\r\n--b--\r\n"
        form = {"Content-Type": "multipart/form-data; boundary=b"}
        return {
            **event,
            "headers": {**event["headers"], **form},
            "multiValueHeaders": {**event["multiValueHeaders"], "Content-Type": [*form.values()]},
            "body": b64encode(body).decode(),
            "isBase64Encoded": True,
        }

    def _download(self) -> Mapping[str, Any]:
        name = self._served.singleton
        file = self._functions.start("files", self._upload()).body
        query = f"mutation($data: {name}Update!) {{ {name}___update(data: $data) {{ _id logo {{ link }} }} }}"
        answer = self._functions.start(
            "graphql", self._graphql({"query": query, "variables": {"data": {"logo": file}}})
        ).body
        id_ = answer["data"][f"{name}___update"]["_id"]
        parameters = {"class": name.lower(), "name": id_, "attribute": "logo"}
        address = "/auth/file/{class}/{name}/{attribute}"
        return self._request("GET", address.format(**parameters), None, address, parameters)

    def _request(
        self,
        method: str,
        path: str,
        body: object,
        resource: str | None = None,
        parameters: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        event = proxy_event(method, path, resource or path, self._token or None, body)
        return {**event, "pathParameters": parameters or event["pathParameters"]}


def _empty(functions: Functions, folder: Path) -> Start:
    """Return the start of a function that does nothing: the cost of Python and AWS's runtime client."""
    empty = folder / "empty"
    empty.mkdir()
    (empty / "app.py").write_text("def handler(event, context):\n    return {}\n")
    declared = replace(functions.declared["tokens"], name="Empty", file=empty / "app.py")
    return functions._replace(declared={"empty": declared}).median("empty", {})


def _settings(address: str, folder: Path) -> Environment:
    """Create the secret with the signing keys, like the template, and return the functions' settings."""
    client = SecretsClient(AwsEndpoint("us-east-1", address, Credentials(*EMULATOR_CREDENTIALS.values())))
    client.call("create_secret", Name=SECRET, SecretString=json.dumps({"first": "x7" * 32}))
    client.close()
    return {
        **EMULATOR_CREDENTIALS,
        "AWS_REGION": "us-east-1",
        "STRATABASE_STORE": "dynamodb",
        "STRATABASE_AWS_CLIENT": "botocore",  # as the template sets it
        "STRATABASE_BUCKET": "files",
        "STRATABASE_ENDPOINT": address,
        "STRATABASE_HOME": str(folder),
        "STRATABASE_SIGNING_KEYS": SECRET,
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
    }
