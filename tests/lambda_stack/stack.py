"""The stack: what the template declares, made in the emulator, with processes for its functions."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path

import boto3
from botocore.exceptions import ClientError

from benchmarks.function_rows import ADMINISTRATOR
from tests.lambda_stack.faults import fault_proxy
from tests.lambda_stack.invocations import invocation_proxy
from tests.lambda_stack.layers import Layers, lay_out
from tests.lambda_stack.pool import ExecutionEnvironment, FunctionPool
from tests.lambda_stack.template import FunctionDeclaration
from tests.repository import ROOT
from tests.service import deployed_settings

Pools = Mapping[str, FunctionPool]
TEMPLATE = ROOT / "template.yaml"
SIGNING_KEYS = json.dumps({"first": "0123456789abcdef" * 4})
STORES = "app().is_store_reachable(); app().blobs"


@contextmanager
def function_pools(given: Mapping[str, str], functions: Iterable[FunctionDeclaration]) -> Iterator[Pools]:
    """Make a stack, and yield the execution environments of its functions.

    `given`: the settings, with the address of the emulator. What a stack has is named by its data folder, so
    a stack that starts again finds what it had. `STACK_FAULTS`: see `fault_proxy`.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lambda-stack-")))
        settings = {**given, **deployed_settings(given)}
        _make_secret(settings, settings["STRATABASE_SIGNING_KEYS"], SIGNING_KEYS)
        providers = _move_providers_to_a_secret(settings)
        # The functions find the tables and the bucket, as on AWS.
        makes_tables = {**settings, "STRATABASE_CREATE_TABLES": "on"}
        subprocess.run([sys.executable, "-c", f"{ADMINISTRATOR}; {STORES}"], env=makes_tables, check=True)
        if faults := given.get("STACK_FAULTS"):
            address = stack.enter_context(fault_proxy(settings["STRATABASE_ENDPOINT"], faults))
            settings["STRATABASE_ENDPOINT"] = address
        layers = lay_out(folder)
        pools: dict[str, FunctionPool] = {}
        invoking = stack.enter_context(invocation_proxy(settings["STRATABASE_ENDPOINT"], pools))
        by_function = {
            "MembersFunction": {"STRATABASE_ENDPOINT": invoking, "STRATABASE_MAIL_FUNCTION": "MailFunction"},
            "SigninFunction": providers,
        }
        for each in functions:
            pools[each.name] = _pool(layers, each, {**settings, **by_function.get(each.name, {})})
        for pool in pools.values():
            stack.callback(pool.end)
        yield pools


def _move_providers_to_a_secret(settings: dict[str, str]) -> Mapping[str, str]:
    """Return the setting of the function `signin` for the document that `settings` name, if they do."""
    file = settings.pop("STRATABASE_IDENTITY_PROVIDERS", None)
    if not file:
        return {}
    name = f"{settings['STRATABASE_SIGNING_KEYS']}-providers"
    _make_secret(settings, name, Path(file).read_text())
    return {"STRATABASE_IDENTITY_PROVIDERS_SECRET": name}


def _make_secret(settings: Mapping[str, str], name: str, content: str) -> None:
    client = boto3.client(
        "secretsmanager",
        endpoint_url=settings["STRATABASE_ENDPOINT"],
        region_name=settings["AWS_REGION"],
        aws_access_key_id="local",
        aws_secret_access_key="local",
    )
    with suppress(ClientError):  # it is there, when a stack starts again
        client.create_secret(Name=name, SecretString=content)


def _pool(layers: Layers, function: FunctionDeclaration, settings: Mapping[str, str]) -> FunctionPool:
    start = partial(
        ExecutionEnvironment,
        layers.command(function),
        function.file.parent,
        layers.environment(function, settings),
        function.timeout,
    )
    return FunctionPool(function, start)
