"""What a process logs never waits for the reader."""

import fcntl
import io
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from stratabase.server.process import background_output as module
from stratabase.server.process.background_output import BackgroundOutput
from tests.service import SAMPLE_MODEL, RunningService, eventually

LINE = "x" * 99 + "\n"
SMALLEST_PIPE = 4096


def stream_of(file: int) -> io.TextIOWrapper:
    return os.fdopen(file, "w")


def answers(service: RunningService) -> bool:
    try:
        return service.request("GET", "/public/health/live").status == 200
    except OSError:
        return False


def test_lines_arrive_in_order_and_whole(tmp_path: Path) -> None:
    file = tmp_path / "log"
    with file.open("w") as stream:
        before = threading.active_count()
        output = BackgroundOutput(stream)
        assert threading.active_count() == before
        for number in range(1000):
            print(number, "é", file=output)
        assert file.read_text().endswith("\n999 é\n"), "a file has no reader to wait for"
        output.write("an end without a line")
        output.finish()

    *lines, last = file.read_text().split("\n")
    assert lines == [f"{number} é" for number in range(1000)]
    assert last == "an end without a line"


def test_a_reader_that_stalls_blocks_nobody_and_learns_how_many_lines_were_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MAX_PENDING", 100_000)
    reader, writer = os.pipe()
    stream = stream_of(writer)
    output = BackgroundOutput(stream)
    for _ in range(5000):
        output.write(LINE)  # more than the pipe and the memory hold

    received, whole, lost = b"", 0, 0
    while whole + lost < 5000:  # lines can be lost several times
        received += os.read(reader, 65536)
        output.write("next\n")
        lines = received.decode().splitlines()
        whole = lines.count(LINE.rstrip())
        lost = sum(int(line.split()[0]) for line in lines if "were lost" in line)

    assert lost > 0
    assert whole >= 1000
    os.close(reader)
    output.finish()
    stream.close()


def test_a_reader_that_has_gone_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    stream = stream_of(writer)
    output = BackgroundOutput(stream)
    output.write(LINE)
    output.finish()
    stream.close()


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param([], id="one process", marks=pytest.mark.thorough),
        pytest.param(["--workers", "1"], id="supervisor"),
    ],
)
def test_requests_go_on_while_nobody_reads_the_log(tmp_path: Path, arguments: list[str]) -> None:
    settings = {"STRATABASE_ACCESS_LOG": "json"}
    service = RunningService(tmp_path / "home", model=SAMPLE_MODEL, arguments=arguments, settings=settings)
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, SMALLEST_PIPE)
    process = subprocess.Popen(
        [sys.executable, "-m", "stratabase.cli", "serve", "--no-reload", *arguments],
        env=service.settings,
        stdout=writer,
        stderr=subprocess.DEVNULL,
    )
    os.close(writer)
    try:
        eventually(lambda: answers(service))
        for _ in range(3 * SMALLEST_PIPE // 100):
            assert service.request("GET", "/public/health/live").status == 200
    finally:
        process.terminate()
        process.wait()
        os.close(reader)
    assert process.returncode == 0
