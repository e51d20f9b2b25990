"""The memory of the deployed download function while it streams a large file from S3."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks import cpu, memory
from benchmarks.archive import MEGABYTE, download_address, store_documents, write_model
from benchmarks.download_rows import LARGE, MAX_GROWTH
from benchmarks.function_process import FUNCTIONS, proxy_event, streaming_function
from benchmarks.table import Figure, print_table
from stratabase.terminal.settings import EMULATOR_CREDENTIALS
from stratabase_aws.commands.emulator import BUCKET, emulator
from tests.service import PASSWORD, basic

RESOURCE = "/auth/file/{class}/{name}/{attribute}"


def main(folder: Path) -> None:
    """Measure with an emulator of DynamoDB and S3."""
    with emulator() as address:
        environment = _environment(address, folder)
        small, large = (_event(id_) for id_ in store_documents(environment, (1, LARGE)))
        with streaming_function(FUNCTIONS / "download", "app.handler", environment) as (api, process):
            _check(api.answer(small), 1)
            before, spent = memory.megabytes(process.pid), cpu.seconds(process.pid)
            _check(api.answer(large), LARGE)
            after = memory.megabytes(process.pid)
            figures = [
                Figure("memory", after, "MB"),
                Figure("growth of the memory", after - before, "MB", MAX_GROWTH),
                Figure("CPU per megabyte", (cpu.seconds(process.pid) - spent) / LARGE * 1000, "ms"),
            ]
    print_table(f"A download of {LARGE} MB from the function", figures)


def _environment(address: str, folder: Path) -> Mapping[str, str]:
    return {
        **EMULATOR_CREDENTIALS,
        "AWS_REGION": "us-east-1",
        "STRATABASE_STORE": "dynamodb",
        "STRATABASE_ENDPOINT": address,
        "STRATABASE_CREATE_TABLES": "on",
        "STRATABASE_BUCKET": BUCKET,
        "STRATABASE_HOME": str(folder),
        "STRATABASE_MODEL": str(write_model(folder)),
        "STRATABASE_ADMIN_PASSWORD": PASSWORD,
    }


def _event(id_: str) -> dict[str, Any]:
    """Return the event of a download by the administrator."""
    event = proxy_event("GET", download_address(id_), RESOURCE, None, None)
    event["headers"]["Authorization"] = basic("admin", PASSWORD)
    event["multiValueHeaders"] = {name: [value] for name, value in event["headers"].items()}
    event["pathParameters"] = {"class": "document", "name": id_, "attribute": "content"}
    return event


def _check(answer: Any, megabytes: int) -> None:
    assert answer.prelude["statusCode"] == 200, json.dumps(answer.prelude)
    assert (answer.size, answer.error) == (megabytes * MEGABYTE, None), answer.error
