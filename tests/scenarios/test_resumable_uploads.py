"""Common clients of tus upload files, while the service is killed and starts again."""

import hashlib
import json
import os
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tusclient.client import TusClient

from tests import soak
from tests.scenarios.node_scripts import find_node, scripts
from tests.service import PASSWORD, RunningService, basic, running

MEBIBYTE = 1024 * 1024
SIZE = soak.count(12, 1024) * MEBIBYTE + 1
CHUNK = soak.count(1, 4) * MEBIBYTE
INTERRUPTIONS = soak.count(1, 3)
RANGE = 64 * MEBIBYTE
MODEL = """
extend schema @application(name: "Archive")
type Film { copy: File }
"""
SIGNED_IN = {"Authorization": basic("admin", PASSWORD)}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[RunningService]:
    model = tmp_path / "archive.graphql"
    model.write_text(MODEL)
    settings = {"STRATABASE_FILE_MEGABYTES": "2000", "STRATABASE_PENDING_MEGABYTES": "4000"}
    with running(tmp_path / "home", model=model, application="Archive", settings=settings) as started:
        yield started


@pytest.fixture
def film(tmp_path: Path) -> Path:
    """A file of random bytes."""
    path, source = tmp_path / "film.bin", random.Random(soak.seed())
    with path.open("wb") as file:
        for start in range(0, SIZE, MEBIBYTE):
            file.write(source.randbytes(min(MEBIBYTE, SIZE - start)))
    return path


def uploads_url(service: RunningService) -> str:
    return f"http://127.0.0.1:{service.port}/auth/file/film/copy"


def assert_is_pending(service: RunningService, url: str, film: Path) -> None:
    """The bytes of the pending file are those of the file, and an object can take it."""
    path = url.partition(str(service.port))[2]
    digest = hashlib.sha256()
    for start in range(0, SIZE, RANGE):
        part = {"Range": f"bytes={start}-{start + RANGE - 1}"}
        reply = service.request("GET", path, headers={**SIGNED_IN, **part})
        assert reply.status == 206
        digest.update(reply.body)
    with film.open("rb") as file:
        assert digest.digest() == hashlib.file_digest(file, "sha256").digest()
    accept = {"Accept": "application/vnd.stratabase.reference+json"}
    reference = service.request("GET", path, headers={**SIGNED_IN, **accept}).json()
    assert (reference["name"], reference["size"]) == ("Perché.bin", SIZE)
    created = service.graphql(
        "mutation ($copy: PendingFileReference!) { Film___create(data: {copy: $copy}) { copy { size } } }",
        {"copy": reference},
    )
    assert created == {"data": {"Film___create": {"copy": {"size": SIZE}}}}


def test_tuspy_resumes_after_the_service_was_killed(service: RunningService, film: Path) -> None:
    client, url = TusClient(uploads_url(service), headers=SIGNED_IN), None
    with film.open("rb") as file:
        for stop in range(1, INTERRUPTIONS + 2):
            if url is not None:
                service.kill()
                service.start()
            uploader = client.uploader(
                file_stream=file,
                url=url,
                chunk_size=CHUNK,
                metadata={"filename": "Perché.bin"},
                upload_checksum=True,
            )
            uploader.upload(stop_at=SIZE * stop // (INTERRUPTIONS + 1))
            url = uploader.url

    assert url
    assert_is_pending(service, url, film)


@pytest.mark.built
def test_tus_js_client_resumes_after_the_service_was_killed(service: RunningService, film: Path) -> None:
    node = find_node()
    environment = {
        "PATH": os.environ["PATH"],
        "ADDRESS": uploads_url(service),
        "AUTHORIZATION": SIGNED_IN["Authorization"],
        "FILE": str(film),
        "CHUNK": str(CHUNK),
    }
    stops = [SIZE * stop // (INTERRUPTIONS + 1) for stop in range(1, INTERRUPTIONS + 1)]
    message: dict[str, Any] = {}
    with scripts() as folder:
        command = [node, str(folder / "tus.mjs")]
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as process:
            for line in process.stdout or ():
                message = json.loads(line)
                if stops and message.get("offset", 0) >= stops[0]:
                    del stops[0]
                    service.kill()
                    service.start()
    assert process.returncode == 0
    assert stops == []
    assert_is_pending(service, message["url"], film)
