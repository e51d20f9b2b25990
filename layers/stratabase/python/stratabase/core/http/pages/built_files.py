"""The built files of a page: its scripts, its styles and the licenses, and the endpoint that serves them."""

import gzip
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from stratabase.core.domain.caller import Caller
from stratabase.core.http.base.endpoint import Endpoint, ErrorFormat, Operation, Parameter, ResponseSpec
from stratabase.core.http.base.messages import Request, Response
from stratabase.core.http.base.preconditions import cacheable_response
from stratabase.core.http.base.refusals import UnknownAddress
from stratabase.values.messages import _

LICENSES = "licenses.txt"
IMMUTABLE = "public, max-age=31536000, immutable"
_TYPES = {".js": "text/javascript", ".css": "text/css", ".txt": "text/plain"}
"""The media types of the built files that the service serves, by suffix."""


@dataclass(frozen=True)
class Asset:
    """A built file of a page."""

    path: Path = field(repr=False)

    @property
    def content_type(self) -> str:
        """The Content-Type of the file."""
        return f"{_TYPES[self.path.suffix]}; charset=utf-8"

    @property
    def is_immutable(self) -> bool:
        """Whether the file never changes, because its name contains a hash of its content."""
        return self.path.name != LICENSES

    @cached_property
    def content(self) -> bytes:
        """The bytes of the file."""
        return self.path.read_bytes()

    @cached_property
    def gzipped(self) -> bytes:
        """The bytes of the file, compressed by gzip at its highest level."""
        return gzip.compress(self.content, 9, mtime=0)


@dataclass(frozen=True)
class BuiltFiles:
    """The files in a folder that a build wrote."""

    folder: Path

    @cached_property
    def by_name(self) -> Mapping[str, Asset]:
        """The files that the service serves, by name."""
        return {path.name: Asset(path) for path in sorted(self.folder.iterdir()) if path.suffix in _TYPES}


def built_file_endpoint(files: BuiltFiles, title: str, operation: str) -> Endpoint:
    """Return the endpoint of the files of a page.

    `title` is the name of the page, and `operation` what the id of the operation in OpenAPI contains.
    """
    tag = {"ETag": "Changes with the file."}

    def read_file(request: Request, _caller: Caller | None) -> Response:
        name = request.parameters["file"]
        asset = files.by_name.get(name)
        if asset is None:
            raise UnknownAddress(_('The file "{name}" does not exist.', name=name))
        cache_control = IMMUTABLE if asset.is_immutable else "no-cache"
        return cacheable_response(
            request, asset.content_type, asset.content, cache_control, lambda: asset.gzipped
        )

    read = Operation(
        read_file,
        f"read{operation}File",
        f"A file of the page {title}.",
        {
            200: ResponseSpec("The file.", ("text/javascript", "text/css", "text/plain"), tag),
            304: ResponseSpec("The file has not changed.", headers=tag),
            404: ResponseSpec("The file does not exist."),
        },
        error_format=ErrorFormat.PROBLEM_JSON,
        has_format=False,
    )
    return Endpoint({"GET": read}, {"file": Parameter("The name of the file.", example=LICENSES)})
