"""The access log: what a line has is tested in tests/scenarios/test_watched_service.py."""

import io

from stratabase.core.request_log import RequestRecord, RequestUsage
from stratabase.server.process.access_log import JSON, TEXT, AccessLog
from tests.rows import each_row

RECORD = RequestRecord("/public/health", "GET", "a", 200, 1.25, RequestUsage(), "203.0.113.9")


class FullDisk(io.StringIO):
    """A file on a disk that is full at first."""

    is_full = True

    def flush(self) -> None:
        if self.is_full:
            raise OSError(28, "No space left on device")


@each_row("style", [JSON, TEXT])
def test_a_log_that_cannot_be_written_does_not_disturb_requests(style: str) -> None:
    disk = FullDisk()
    log = AccessLog(style, disk)

    log.write(RECORD)
    disk.is_full = False
    log.write(RECORD)

    assert disk.getvalue().splitlines()[-1].count("/public/health") == 1
