"""The name of the request that the event loop currently runs, in memory that the supervisor can read."""

from mmap import mmap

SIZE = 256
"""The size of the memory in bytes: one byte for the length of the name, then the name."""


class CurrentRequest:
    """The name of a request: its method, route and trace id, without any other data from the client.

    The supervisor maps the same memory, so it can read the name even if the event loop is stuck.
    """

    def __init__(self, memory: mmap | bytearray) -> None:
        self._memory = memory

    def share(self, memory: mmap) -> None:
        """Use other memory from now on."""
        self._memory = memory

    def enter(self, name: bytes) -> None:
        """Record that the event loop now runs a request."""
        kept = name[: SIZE - 1]
        self._memory[1 : 1 + len(kept)] = kept
        self._memory[0] = len(kept)

    def leave(self) -> None:
        """Record that the event loop runs no request."""
        self._memory[0] = 0

    def name(self) -> str:
        """Return the name of the current request, or an empty text if there is none."""
        return bytes(self._memory[1 : 1 + self._memory[0]]).decode("utf-8", "replace")


current_request = CurrentRequest(bytearray(SIZE))
"""The current request of this process, which has only one event loop."""
