"""The response of an endpoint."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Reply:
    """A response with its status, headers and body."""

    status: int
    headers: Mapping[str, list[str]]
    body: str

    def header(self, name: str) -> str | None:
        return self.headers.get(name, [None])[0]
