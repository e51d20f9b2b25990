"""The runtime that streams answers invocations as a process of its own, as on AWS."""

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks import memory
from benchmarks.function_process import WRAPPER, streaming_function
from benchmarks.runtime_api import FunctionFailed, RuntimeApi, StreamedAnswer
from tests.repository import ROOT

DEADLINE = 30
REQUEST_ID = "00000000-0000-4000-a000-000000000000"
CHUNK = 256 * 1024
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Lambda is Linux")


def test_the_template_streams_the_responses_of_download() -> None:
    (function,) = re.findall(
        r"^  DownloadFunction:\n(?:    .*\n|\n)+", (ROOT / "template.yaml").read_text(), re.MULTILINE
    )

    assert f"AWS_LAMBDA_EXEC_WRAPPER: /var/task/{WRAPPER.name}\n" in function
    assert function.count("Type: Api\n") == function.count("ResponseTransferMode: RESPONSE_STREAM\n") > 0
    assert os.access(WRAPPER, os.X_OK)


@pytest.fixture(scope="module")
def function() -> Iterator[tuple[RuntimeApi, "subprocess.Popen[str]"]]:
    with streaming_function(ROOT / "tests", "streaming_function.handler") as started:
        yield started


@pytest.fixture(scope="module")
def api(function: tuple[RuntimeApi, Any]) -> RuntimeApi:
    return function[0]


def test_a_response_has_a_prelude_and_a_body(api: RuntimeApi) -> None:
    answer: StreamedAnswer = api.answer({"chunks": 3, "size": 2})

    arn = "arn:aws:lambda:us-east-1:000000000000:function:bench"
    assert answer.prelude == {
        "statusCode": 200,
        "multiValueHeaders": {
            "Content-Type": ["video/mp4"],
            "X-Context": [REQUEST_ID, arn, "True", "Root=1-5e7f-00"],
        },
    }
    assert (answer.head, answer.error) == (b"\0\0\1\1\2\2", None)
    assert answer.request_headers["Content-Type"] == "application/vnd.awslambda.http-integration-response"
    assert answer.request_headers["Transfer-Encoding"] == "chunked"


def test_many_invocations_use_one_connection(api: RuntimeApi) -> None:
    api.clients.clear()

    for _ in range(100):
        assert api.answer({}).size == 1

    assert len(api.clients) == 1


def test_an_empty_body_is_a_complete_response(api: RuntimeApi) -> None:
    assert api.answer({"chunks": 0}).size == 0
    assert api.answer({"chunks": 2, "size": 0}).error is None


def test_a_large_body_takes_little_memory(function: tuple[RuntimeApi, "subprocess.Popen[str]"]) -> None:
    api, process = function
    api.answer({"chunks": 2, "size": CHUNK})
    before = memory.megabytes(process.pid)

    answer = api.answer({"chunks": 760, "size": CHUNK})

    expected = hashlib.sha256()
    for number in range(760):
        expected.update(bytes([number % 256]) * CHUNK)
    assert (answer.size, answer.digest) == (760 * CHUNK, expected.hexdigest())
    assert memory.megabytes(process.pid) - before < 20


def test_an_exception_of_the_handler_is_500(api: RuntimeApi) -> None:
    answer = api.answer({"fails": True})

    assert answer.prelude["statusCode"] == 500
    assert answer.prelude["multiValueHeaders"]["Content-Type"] == ["application/problem+json"]
    assert json.loads(answer.head)["traceId"] == REQUEST_ID
    assert b"a bug" not in answer.head
    assert api.answer({}).size == 1


def test_a_failure_midway_is_in_the_trailers(api: RuntimeApi) -> None:
    answer = api.answer({"chunks": 5, "size": 10, "fails_at": 3})

    assert answer.size == 30
    assert answer.error["errorType"] == "OSError"
    assert answer.error["errorMessage"] == "the disk is gone"
    assert answer.request_headers["Trailer"].startswith("Lambda-Runtime-Function-Error-Type")
    assert api.answer({}).size == 1


def test_after_a_broken_connection_the_next_invocation_is_answered(api: RuntimeApi) -> None:
    api.broken_answers = 1
    api.events.put({"chunks": 100, "size": CHUNK})

    assert api.answer({"chunks": 1}).size == 1


@pytest.mark.parametrize(
    ("text", "error_type"),
    [
        ("import no_such_module", "ModuleNotFoundError"),
        ("x = 1", "AttributeError"),
        ("raise RuntimeError('settings')", "RuntimeError"),
    ],
)
def test_a_function_that_cannot_be_loaded_is_reported(tmp_path: Path, text: str, error_type: str) -> None:
    (tmp_path / "app.py").write_text(text)

    with streaming_function(tmp_path, "app.handler") as (api, process):
        with pytest.raises(FunctionFailed, match=f'"errorType": "{error_type}"'):
            api.next_answer()
        assert process.wait(DEADLINE) == 1


def test_the_function_download_runs_in_it(tmp_path: Path) -> None:
    settings = {
        "STRATABASE_HOME": str(tmp_path),
        "STRATABASE_MODEL": str(ROOT / "layers/model/model.graphql"),
    }
    event = json.loads((ROOT / "events/download_without_credentials.json").read_text())

    with streaming_function(ROOT / "functions/download", "app.handler", settings) as (api, _process):
        answer = api.answer(event)

    assert answer.prelude["statusCode"] == 401
    assert "WWW-Authenticate" in answer.prelude["multiValueHeaders"]
    assert json.loads(answer.head)["title"] == "Unauthorized"
