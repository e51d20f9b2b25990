"""Stored files of any size. A client of the service would have to send a large file in parts."""

import os
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from benchmarks.file_rows import reference_to
from benchmarks.role_rows import CALLER
from stratabase.bootstrap.instance import Instance
from stratabase.domain.write.commands import Create
from stratabase.operations.files.upload import SentFile
from stratabase.operations.write.services import save
from stratabase.settings import Settings
from tests.service import PASSWORD, basic

APPLICATION = "Archive"
MODEL = f"""
extend schema @application(name: "{APPLICATION}") @profile(name: "Administrator", administrator: true)
type Document {{ name: String content: File }}
"""
UPLOADS = "/auth/file/document/content"
MEGABYTE = 1024 * 1024


def write_model(folder: Path) -> Path:
    """Write the model of the archive to a folder, and return the file."""
    file = folder / "archive.graphql"
    file.write_text(MODEL)
    return file


def store_document(environment: Mapping[str, str], megabytes: int) -> str:
    """Create an object with a file in the store that environment variables select. Return the object's ID."""
    sent = SentFile("film.mp4", "video/mp4", os.urandom(MEGABYTE) * megabytes)
    with closing(Instance(Settings.from_environment(environment))) as instance:
        target = instance.file_uploads.target(CALLER, "Document", "content")
        pending = instance.file_uploads.upload(CALLER, target, sent)
        created = save(instance.services, Create("Document", {"content": reference_to(pending)}), CALLER)
        return created.reference.id


def download_address(id_: str) -> str:
    """Return the address of the file of an object."""
    return f"/auth/file/document/{id_}/content"


def get_request(port: int, address: str) -> bytes:
    """Return the request for an address as the administrator."""
    return (
        f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        f"Authorization: {basic('admin', PASSWORD)}\r\nAccept: */*\r\n\r\n"
    ).encode()
