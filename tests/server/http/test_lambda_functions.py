"""Functions are loaded from their files and called with a Lambda context."""

import os
from pathlib import Path
from typing import Any

import pytest

from stratabase.server.http.lambda_functions import load_function
from stratabase.server.http.template import FunctionDeclaration
from stratabase.terminal.command_error import CommandError
from tests.server.http.serving import gateway


def test_a_missing_function_is_named(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="does not exist"):
        load_function(FunctionDeclaration("Lost", tmp_path / "lost.py", "handler", 1, 128))


def test_a_function_without_its_handler_is_named(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("other = 1\n")

    with pytest.raises(CommandError, match='has no function "handler"'):
        load_function(FunctionDeclaration("Other", tmp_path / "app.py", "handler", 1, 128))


def test_an_edit_of_the_same_size_within_a_second_is_loaded(tmp_path: Path) -> None:
    file = tmp_path / "app.py"
    declared = FunctionDeclaration("Edited", file, "handler", 1, 128)
    for text in ("first", "other"):
        file.write_text(f"def handler(event, context):\n    return {text!r}\n")
        os.utime(file, (1, 1))
        assert load_function(declared).handler({}, None) == text


def test_a_function_can_ask_about_its_invocation() -> None:
    """The context object is Lambda's."""
    seen: list[Any] = []

    def handler(_event: Any, context: Any) -> Any:
        seen.append(context)
        return {"statusCode": 204}

    with gateway(handler) as client:
        client.get("/")

    (context,) = seen
    assert context.function_name == "Fake"
    assert context.memory_limit_in_mb == "512"
    assert context.function_version == "$LATEST"
    assert context.invoked_function_arn.endswith(":function:Fake")
    assert 0 < context.get_remaining_time_in_millis() <= 60_000
    assert context.aws_request_id == context.aws_request_id != ""
