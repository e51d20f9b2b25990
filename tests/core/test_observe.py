"""The log: JSON lines without secrets, and without fields of earlier requests."""

import io
import json
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from threading import Barrier
from typing import Any

import pytest

from stratabase.core.observe import REDACTED, Log, causes
from stratabase.core.request_log import timestamp
from tests.core.store.thread_switching import taking_turns


@pytest.fixture
def stream() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def journal(stream: io.StringIO, request: pytest.FixtureRequest) -> Log:
    return Log("INFO", stream, service=request.node.nodeid)


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_the_first_lines_can_come_from_several_threads(stream: io.StringIO) -> None:
    for number in range(20):
        journal, together = Log("INFO", stream, service=f"first lines {number}"), Barrier(8)

        def write(journal: Log = journal, together: Barrier = together) -> None:
            together.wait()
            journal.info("Served")

        with taking_turns(), ThreadPoolExecutor(8) as threads:
            for done in [threads.submit(write) for _thread in range(8)]:
                done.result()
    assert len(lines(stream)) == 160


def test_a_line_has_its_level_message_trace_id_and_fields(journal: Log, stream: io.StringIO) -> None:
    journal.info("Served", trace_id="trace-1", status=200)
    (line,) = lines(stream)
    assert [line[name] for name in ("level", "message", "traceId", "status")] == [
        "INFO",
        "Served",
        "trace-1",
        200,
    ]


def test_timestamps_have_the_format_of_the_access_log(journal: Log, stream: io.StringIO) -> None:
    journal.info("Served")
    (line,) = lines(stream)
    assert re.sub(r"\d", "0", line["timestamp"]) == re.sub(r"\d", "0", timestamp(0.0))
    assert abs(datetime.fromisoformat(line["timestamp"]).timestamp() - time.time()) < 3_600


def fail() -> None:
    raise RuntimeError("it broke")


def test_an_error_has_its_stack(journal: Log, stream: io.StringIO) -> None:
    try:
        fail()
    except RuntimeError as error:
        journal.error("Failed", error=error)
    (line,) = lines(stream)
    assert line["exception_name"] == "RuntimeError"
    assert "test_an_error_has_its_stack" in line["exception"]


def fail_in_three_steps() -> None:
    try:
        try:
            fail()
        except RuntimeError:
            raise KeyError("a") from None
    except KeyError as error:
        raise ValueError("b") from error


def fail_without_an_explicit_cause() -> None:
    try:
        fail_in_three_steps()
    except ValueError:
        raise TypeError("c")  # noqa: B904 - that is what is tested


def test_the_causes_are_the_whole_chain_up_to_what_was_suppressed() -> None:
    with pytest.raises(TypeError) as caught:
        fail_without_an_explicit_cause()
    assert causes(caught.value) == ["ValueError('b')", "KeyError('a')"]
    assert causes(RuntimeError()) == []


def test_causes_that_go_in_a_circle_end() -> None:
    first, second = RuntimeError("1"), RuntimeError("2")
    first.__cause__, second.__cause__ = second, first
    assert causes(first) == ["RuntimeError('2')"]


def test_messages_below_the_level_are_not_written(journal: Log, stream: io.StringIO) -> None:
    journal.debug("no")
    journal.warning("yes")
    assert [line["message"] for line in lines(stream)] == ["yes"]


@pytest.mark.parametrize(
    "name", ["password", "newPassword", "Authorization", "access_token", "client_secret"]
)
def test_fields_with_secret_names_are_masked(name: str, journal: Log, stream: io.StringIO) -> None:
    journal.info("Sign-in", **{name: "hunter2"})
    assert lines(stream)[0][name] == REDACTED
    assert "hunter2" not in stream.getvalue()


def test_fields_do_not_leak_into_later_lines(journal: Log, stream: io.StringIO) -> None:
    journal.info("first", trace_id="trace-1", member="anna")
    journal.info("second", trace_id="trace-2")
    second = lines(stream)[1]
    assert (second["traceId"], "member" in second) == ("trace-2", False)


def test_the_logging_library_is_imported_lazily() -> None:
    say = "from stratabase.core.observe import Log; Log('ERROR').info('x')"
    code = f"import sys; {say}; print('logging' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
