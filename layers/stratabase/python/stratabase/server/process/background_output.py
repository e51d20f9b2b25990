"""Standard output and standard error that never make a request wait for their reader."""

import io
import os
import stat
import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

MAX_PENDING = 4 * 1024 * 1024
"""The maximum number of characters that wait for the reader. Further lines are lost, and counted."""
END_SECONDS = 2.0
"""The seconds for which the end of the process waits for the reader."""
_ATOMIC = 4096
"""The bytes that a pipe takes as a whole (PIPE_BUF of Linux), so the lines of several processes don't mix."""


@contextmanager
def background_output() -> Iterator[None]:
    """Let a thread write what this process prints and logs, so that nothing else waits for the reader."""
    streams = sys.stdout, sys.stderr
    outputs = tuple(BackgroundOutput(stream) for stream in streams)
    sys.stdout, sys.stderr = outputs
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams
        for output in outputs:
            output.finish()


class BackgroundOutput(io.TextIOBase):
    """A text stream whose lines a thread writes to the file of another stream.

    A regular file has no reader to wait for, so each line is written there at once.
    """

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._stream = stream
        self._file = stream.fileno()
        self._has_reader = not stat.S_ISREG(os.fstat(self._file).st_mode)
        self._texts: deque[str] = deque()
        self._rest = ""
        """The beginning of a line that is not complete yet."""
        self._waiting = 0
        """The characters that wait."""
        self._lost = 0
        """The lines that were lost since the last ones that were written."""
        self._is_ending = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="output", daemon=True)
        if self._has_reader:
            self._thread.start()

    def write(self, text: str) -> int:
        """Let the thread write a text, as soon as the line is complete. Never waits for a reader."""
        with self._changed:
            if not self._has_reader:
                self._rest = self._write_lines(self._rest + text)
            elif self._waiting + len(text) > MAX_PENDING:
                self._lost += text.count("\n")
            else:
                self._texts.append(text)
                self._waiting += len(text)
                self._changed.notify()
        return len(text)

    def writable(self) -> bool:
        """Return that the stream can be written."""
        return True

    def fileno(self) -> int:
        """Return the file that the thread writes."""
        return self._file

    def isatty(self) -> bool:
        """Return whether a person reads the stream."""
        return self._stream.isatty()

    def finish(self) -> None:
        """Write what waits, unless the reader takes longer than END_SECONDS."""
        if not self._has_reader:
            self._write(self._rest)
            return
        with self._changed:
            self._is_ending = True
            self._changed.notify()
        self._thread.join(END_SECONDS)

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._texts and not self._is_ending:
                    self._changed.wait()
                is_last = not self._texts
                text, lost = self._rest + "".join(self._texts), self._lost
                self._texts.clear()
            if lost:
                text += f"{lost} lines of this log were lost, because nobody read them in time.\n"
            self._rest = self._write_lines(text)
            if is_last:
                self._write(self._rest)
            with self._changed:
                self._waiting = len(self._rest) + sum(map(len, self._texts))
                self._lost -= lost
            if is_last:
                return

    def _write_lines(self, text: str) -> str:
        """Write the complete lines of a text, and return the rest."""
        complete, newline, rest = text.rpartition("\n")
        self._write(complete + newline)
        return rest

    def _write(self, text: str) -> None:
        for chunk in _chunks(text.encode("utf-8", "backslashreplace")):
            left = memoryview(chunk)
            try:
                while left:
                    left = left[os.write(self._file, left) :]
            except OSError:
                return  # nobody reads any more, or the disk is full: the lines are lost


def _chunks(data: bytes) -> Iterator[bytes]:
    """Yield data in pieces that end with a line, as many lines in each as a pipe takes as a whole."""
    chunk = b""
    for line in data.splitlines(keepends=True):
        if chunk and len(chunk) + len(line) > _ATOMIC:
            yield chunk
            chunk = b""
        chunk += line
    if chunk:
        yield chunk
