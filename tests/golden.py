"""Prints the golden file of the OpenAPI document: `python -m tests.golden`."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from stratabase.core.app.app import App
from stratabase.core.settings import Settings
from stratabase_aws.functions import http_handler
from tests.service import SAMPLE_MODEL

OPENAPI = Path(__file__).parent / "core/http/api/openapi/golden/openapi.json"
BASE_URL = "https://api.example.com/hr"


@contextmanager
def sample() -> Iterator[App]:
    """Return an instance of the sample model in its own folder."""
    with TemporaryDirectory() as home:
        instance = App(Settings(home=Path(home), model=SAMPLE_MODEL, base_url=BASE_URL))
        try:
            yield instance
        finally:
            instance.close()


def openapi(instance: App) -> Any:
    """Return the OpenAPI document that an instance serves."""
    resource = "/public/openapi.json"
    answer = http_handler("members", instance)({"httpMethod": "GET", "path": resource, "resource": resource})
    return json.loads(answer["body"])


def written(document: Any) -> str:
    """Return a document in the format of the golden file."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    with sample() as made:
        sys.stdout.write(written(openapi(made)))
