"""Prints golden files.

`python -m tests.golden` prints the OpenAPI document, and `python -m tests.golden MODEL PROFILE` the
description of a model.
"""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from stratabase.core.app.app import App
from stratabase.core.domain.caller import Caller
from stratabase.core.model.model import Model
from stratabase.core.model.reading import read_model_file
from stratabase.core.model.users import with_users
from stratabase.core.schema.description import ModelDescriptions
from stratabase.core.schema.executor import ProfileSchemas
from stratabase.core.schema.generate import generate_schema
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


def description(model: Model, profile: str) -> Any:
    """Return the description of a model for a profile."""
    served = with_users(model)
    descriptions = ModelDescriptions(served, ProfileSchemas(served, generate_schema(served)))
    return json.loads(descriptions.of(Caller("1", "ada", profile)))


def written(document: Any) -> str:
    """Return a document in the format of the golden file."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _main(arguments: list[str]) -> None:
    if arguments:
        model_file, profile = arguments
        sys.stdout.write(written(description(read_model_file(Path(model_file)), profile)))
        return
    with sample() as made:
        sys.stdout.write(written(openapi(made)))


if __name__ == "__main__":
    _main(sys.argv[1:])
