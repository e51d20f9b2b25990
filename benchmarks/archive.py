"""Stored files of any size. A client of the service would have to send a large file in parts."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from benchmarks.file_rows import reference_to
from benchmarks.role_rows import CALLER
from stratabase.core.app.app import App
from stratabase.core.domain.write.commands import Create
from stratabase.core.operations.files.upload import SentFile
from stratabase.core.operations.write.services import save
from stratabase.members.app.member_services import MemberServices
from stratabase_aws.functions.handlers import app
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


def store_documents(environment: Mapping[str, str], sizes: Sequence[int]) -> list[str]:
    """Create an object with a file of each size in megabytes. Return the IDs of the objects.

    `environment`: the variables that select the store and the model. They apply to a process of their own.
    """
    command = [sys.executable, "-m", "benchmarks.archive", *map(str, sizes)]
    stored = subprocess.run(
        command, env=os.environ | environment, stdout=subprocess.PIPE, check=True, text=True
    )
    return stored.stdout.split()


def _store_document(instance: App, size: int) -> str:
    sent = SentFile("film.mp4", "video/mp4", os.urandom(MEGABYTE) * size)
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


def main() -> None:
    """Store files of the sizes in the arguments, and print the IDs of their objects."""
    with closing(app()) as opened:
        opened.part(MemberServices).create_first_administrator()
        for size in sys.argv[1:]:
            print(_store_document(opened, int(size)))


if __name__ == "__main__":
    main()
