"""A person who edits is told what is wrong and where, and not how the server is made."""

import os
from pathlib import Path

from cli.fault import Fault
from cli.gateway.functions import load
from cli.gateway.template import Function
from cli.server.explanation import explain
from stratabase.model.reading.draft.errors import InvalidModel, ModelError


def test_errors_of_the_model_have_a_line_each() -> None:
    errors = [ModelError("model", line, 1, message) for line, message in ((1, "one"), (2, "two"))]
    assert explain(InvalidModel(errors)) == ("model:1:1: one", "model:2:1: two")


def test_a_fault_is_told_as_it_is() -> None:
    assert explain(Fault("do this instead")) == ("do this instead",)


def test_other_errors_are_told_with_the_lines_of_the_persons_own_code(tmp_path: Path) -> None:
    file = tmp_path / "app.py"
    file.write_text("def broken():\n    return 1 / 0\n\nbroken()\n")
    try:
        load(Function("Broken", file, "handler", 1, 128))
    except ZeroDivisionError as error:
        lines = explain(error)

    text = "\n".join(lines)
    assert text.endswith("ZeroDivisionError: division by zero")
    assert f'File "{file}", line 4' in text
    assert f'File "{file}", line 2, in broken' in text
    assert "cli/gateway" not in text
    assert "importlib" not in text


def test_an_edit_of_the_same_size_within_a_second_is_loaded(tmp_path: Path) -> None:
    file = tmp_path / "app.py"
    declared = Function("Edited", file, "handler", 1, 128)
    for text in ("first", "other"):
        file.write_text(f"def handler(event, context):\n    return {text!r}\n")
        os.utime(file, (1, 1))
        assert load(declared).handler({}, None) == text
