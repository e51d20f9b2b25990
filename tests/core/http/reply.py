"""The response of an endpoint."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Reply:
    """A response with its status, headers and body."""

    status: int
    headers: Mapping[str, list[str]]
    body: str

    def header(self, name: str) -> str | None:
        return self.headers.get(name, [None])[0]

    def json(self) -> Any:
        return json.loads(self.body)
