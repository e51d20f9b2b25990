"""Names the request that the event loop's thread works on, in memory that the supervisor can read."""

from mmap import mmap

SIZE = 256
"""Bytes of the memory: the length of the name, and the name."""


class CurrentRequest:
    """The name of a request: its method, its route and its trace id, and nothing else that the client sent.

    The supervisor maps the same memory, so it can read the name when the thread is stuck and cannot answer.
    """

    def __init__(self, memory: mmap | bytearray) -> None:
        self._memory = memory

    def share(self, memory: mmap) -> None:
        """Write to other memory from now on."""
        self._memory = memory

    def enter(self, name: bytes) -> None:
        """Say that the thread works on a request from now on."""
        kept = name[: SIZE - 1]
        self._memory[1 : 1 + len(kept)] = kept
        self._memory[0] = len(kept)

    def leave(self) -> None:
        """Say that the thread works on no request."""
        self._memory[0] = 0

    def name(self) -> str:
        """Return the name of the request, or nothing when there is none."""
        return bytes(self._memory[1 : 1 + self._memory[0]]).decode("utf-8", "replace")


current_request = CurrentRequest(bytearray(SIZE))
"""The current request of this process, which has one event loop that serves."""
