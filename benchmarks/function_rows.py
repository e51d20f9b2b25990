"""Cold starts of the functions with AWS's runtime client, with a small and a large model."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.function_process import FUNCTIONS, Start, cold_start, proxy_event
from benchmarks.models import MODELS, ServedModel
from benchmarks.table import Figure, print_table
from stratabase.adapters.keyring.secrets_manager import SecretsClient
from stratabase.aws import AwsEndpoint, Credentials
from stratabase.cli.emulator import emulator
from stratabase.cli.terminal.settings import EMULATOR_CREDENTIALS
from tests.service import PASSWORD

STARTS = 5
SECRET = "signing-keys"
MAX_CPU = 1.0
"""The limit of the CPU seconds to the first response with the large model."""
MAX_RATIO = 2.0
"""The limit of the ratio of the CPU time with the large model to that with the small one."""

ADMINISTRATOR = "from stratabase.bootstrap import instance; instance().create_first_administrator()"

Environment = Mapping[str, str]


def main(folder: Path) -> None:
    """Measure each function with an emulator of DynamoDB and Secrets Manager."""
    if find_spec("awslambdaric") is None:
        print(
            "\nCold starts of the functions: not measured, since awslambdaric is not installed (Linux only)"
        )
        return
    with emulator() as address:
        common = _environment(address, folder)
        print_table("Cold start of an empty function", list(_figures("", _empty(folder, common))))
        cpu_seconds = {name: _measure(name, served, folder, common) for name, served in MODELS.items()}
    small, large = cpu_seconds["small"], cpu_seconds["large"]
    figures = [Figure(name, large[name] / small[name], "times", MAX_RATIO) for name in small]
    print_table("CPU with the large model beside the small one", figures)


def _measure(name: str, served: ServedModel, folder: Path, common: Environment) -> Mapping[str, float]:
    """Print the figures of each function with a model, and return the CPU seconds of each."""
    environment = {**common, "STRATABASE_MODEL": str(served.write_prepared(folder))}
    subprocess.run([sys.executable, "-c", ADMINISTRATOR], env=os.environ | environment, check=True)
    starts = dict(_starts(served, environment))
    limit = MAX_CPU if name == "large" else None
    figures = [
        figure for function, start in starts.items() for figure in _figures(f"{function}: ", start, limit)
    ]
    print_table(f"Cold start, {name} model", figures)
    return {function: start.cpu for function, start in starts.items()}


def _figures(name: str, start: Start, limit: float | None = None) -> Iterator[Figure]:
    yield Figure(f"{name}CPU to the first answer", start.cpu, "s", limit)
    yield Figure(f"{name}time to the first answer", start.seconds, "s")
    yield Figure(f"{name}CPU of the same once more", start.repeat_cpu * 1000, "ms")
    yield Figure(f"{name}memory", start.megabytes, "MB")


def _starts(served: ServedModel, environment: Environment) -> Iterator[tuple[str, Start]]:
    tokens = "/public/token/getJwtToken"
    credentials = {"username": "admin", "password": PASSWORD}
    signing_in = _start("tokens", proxy_event("POST", tokens, tokens, None, credentials), environment)
    yield "tokens", signing_in
    token = signing_in.body["access_token"]
    graphql, resource = f"/auth/api/graphql/{served.application}", "/auth/api/graphql/{application}"
    query = {"query": served.query}
    yield "graphql", _start("graphql", proxy_event("POST", graphql, resource, token, query), environment)
    member = "/auth/administration/member"
    yield "members", _start("members", proxy_event("GET", member, member, token, None), environment)


def _start(function: str, event: Mapping[str, Any], environment: Environment) -> Start:
    """Return the median of several starts, after a first start that lets Python compile the modules."""
    starts = [cold_start(FUNCTIONS / function, event, environment) for _ in range(1 + STARTS)][1:]
    assert all(start.answer["statusCode"] == 200 and "errors" not in start.body for start in starts), starts
    return sorted(starts, key=lambda start: start.cpu)[STARTS // 2]


def _empty(folder: Path, environment: Environment) -> Start:
    """Return the start of a function that does nothing: the cost of Python and AWS's runtime client."""
    empty = folder / "empty"
    empty.mkdir()
    (empty / "app.py").write_text("def handler(event, context):\n    return {}\n")
    return cold_start(empty, {}, environment)


def _environment(address: str, folder: Path) -> Environment:
    """Create the secret with the signing keys, like the template, and return the functions' environment."""
    client = SecretsClient(AwsEndpoint("us-east-1", address, Credentials(*EMULATOR_CREDENTIALS.values())))
    client.call("create_secret", Name=SECRET, SecretString=f'{{"first": "{"x7" * 32}"}}')
    client.close()
    return {
        **EMULATOR_CREDENTIALS,
        "AWS_REGION": "us-east-1",
        "STRATABASE_STORE": "dynamodb",
        "STRATABASE_ENDPOINT": address,
        "STRATABASE_CREATE_TABLES": "on",
        "STRATABASE_HOME": str(folder),
        "STRATABASE_SIGNING_KEYS": SECRET,
        "STRATABASE_ADMIN_PASSWORD": PASSWORD,
        **_as_deployed(folder),
    }


def _as_deployed(folder: Path) -> Environment:
    """Return variables with which Python finds the same as on Lambda: bytecode, and the layer's packages."""
    absent = folder / "absent"
    absent.mkdir()
    # This package is installed for the tests only. Libraries import it if they find it.
    (absent / "cryptography.py").write_text('raise ModuleNotFoundError(name="cryptography")\n')
    return {
        "PYTHONPATH": os.pathsep.join([str(absent), os.environ.get("PYTHONPATH", "")]),
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
    }
