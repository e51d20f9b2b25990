"""Runs the event in a file through the function that gets it, as on Lambda: `make invoke EVENT=…`.

The function runs in awslambdaric with the packages of the layers, over an emulator of AWS with an empty
store. Its administrator is `admin` with the password of the events.
"""

import base64
import json
import os
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.runtime_api import FunctionFailed
from stratabase_aws.commands.emulator import emulator
from stratabase_aws.functions.handler import StreamedResponse
from tests.lambda_stack.stack import TEMPLATE, function_pools
from tests.lambda_stack.template import FunctionDeclaration, Template, read_template
from tests.service import PASSWORD, SAMPLE_MODEL

Event = Mapping[str, Any]


def main() -> int:
    """Invoke the function with the event in the file that the argument names. Return the exit code."""
    if len(sys.argv) != 2:
        print("Name a file with an event: make invoke EVENT=events/graphql_query.json", file=sys.stderr)
        return 2
    file = Path(sys.argv[1])
    try:
        event = json.loads(file.read_text())
        function = function_of(read_template(TEMPLATE), file, event)
    except (OSError, ValueError) as error:
        print(f"{file}: {error}", file=sys.stderr)
        return 2
    print(f"Starting {function.name} over the emulator …", file=sys.stderr)
    with tempfile.TemporaryDirectory() as home, emulator() as address:
        defaults = {
            "STRATABASE_MODEL": str(SAMPLE_MODEL),
            "STRATABASE_ADMIN_PASSWORD": PASSWORD,
            "PORT": "443",
        }
        given = {**defaults, **os.environ, "STRATABASE_HOME": home, "STRATABASE_ENDPOINT": address}
        with function_pools(given, [function]) as pools:
            return _show(pools[function.name].invoke, event)


def function_of(template: Template, file: Path, event: Event) -> FunctionDeclaration:
    """Return the function that gets an event: by its route, or by the file name of a schedule's event.

    Raises ValueError if no function gets it.
    """
    resource, method = event.get("resource"), event.get("httpMethod")
    wanted = f"{file.stem}Function".lower()
    names = {
        route.function
        for route in template.routes
        if route.resource == resource and route.method in {method, "ANY"}
    }
    # A route of its own method precedes that of all methods.
    exact = {each.function for each in template.routes if (each.resource, each.method) == (resource, method)}
    for each in template.functions:
        if each.name in (exact or names) or (resource is None and each.name.lower() == wanted):
            return each
    raise ValueError(f"no function of {TEMPLATE.name} gets this event ({method} {resource})")


def _show(invoke: Any, event: Event) -> int:
    began = time.perf_counter()
    try:
        result = invoke(event)
    except FunctionFailed as failure:
        print(f"The function failed: {failure}", file=sys.stderr)
        return 1
    print(f"It answered after {time.perf_counter() - began:.2f} s, cold start included.", file=sys.stderr)
    if isinstance(result, StreamedResponse):
        result = {
            "statusCode": result.status,
            "headers": result.headers,
            "body": b"".join(result.body).decode(),
        }
    elif isinstance(result, dict) and result.get("isBase64Encoded"):
        result = {**result, "body": base64.b64decode(result["body"]).decode(errors="replace")}
    print(json.dumps(result, indent=2, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
