"""`stratabase files` repeats what may succeed later, and reports everything else in one line."""

import json
from collections.abc import Callable, Iterator

import pytest

from stratabase.core.domain.files.resumable_upload import MAX_CHUNK_SIZE
from stratabase.transfer.client import download
from stratabase.transfer.client.connection import WAITS
from tests.cli.files.instances import Answer, Asked, Files, Script, fake_instance

REFERENCE = json.dumps({"pendingFileId": "p1", "fileId": "f1", "name": "a.txt"}).encode()
CONTENT = bytes(range(250)) * 400
UPLOAD = ("upload", "a.txt", "Employee", "document")
DOWNLOAD = ("download", "Employee", "1", "document")


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that a command would wait."""
    recorded: list[float] = []
    monkeypatch.setattr("stratabase.core.waiting.pause", recorded.append)
    return recorded


def one_after_another(*answers: Answer) -> Script:
    """Return a script that gives answers in order, and repeats the last."""
    remaining: Iterator[Answer] = iter(answers)
    return lambda _asked: next(remaining, answers[-1])


def problem(status: int, detail: str) -> Answer:
    return Answer(
        status, {"Content-Type": "application/problem+json"}, json.dumps({"detail": detail}).encode()
    )


def file_script(change: Callable[[Asked, Answer], Answer]) -> Script:
    """Return a script that serves a file by ranges. `change` may spoil all but the first byte."""

    def script(asked: Asked) -> Answer:
        headers = {"ETag": '"f1"', "Content-Disposition": "attachment; filename=a.bin"}
        first, last = map(int, asked.headers["range"].removeprefix("bytes=").split("-"))
        part = CONTENT[first : last + 1]
        content_range = f"bytes {first}-{first + len(part) - 1}/{len(CONTENT)}"
        answer = Answer(206, {**headers, "Content-Range": content_range}, part)
        if asked.headers["range"] == "bytes=0-0":
            return answer
        assert asked.headers["if-range"] == '"f1"'
        return change(asked, answer)

    return script


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_request_that_fails_for_a_while_is_repeated(files: Files, waits: list[float], status: int) -> None:
    files.write("a.txt", b"text")
    with fake_instance(one_after_another(problem(status, "Busy."), Answer(201, {}, REFERENCE))) as instance:
        outcome = files.run(*UPLOAD, url=instance.url)
    assert (outcome.code, json.loads(outcome.out)["pendingFileId"]) == (0, "p1")
    assert outcome.err == f"The service at {instance.url} answered {status}: Busy. Trying again in 1 s.\n"
    assert len(waits) == 1


def test_the_waits_grow_and_end(files: Files, waits: list[float]) -> None:
    files.write("a.txt", b"text")
    with fake_instance(one_after_another(problem(503, "Busy."))) as instance:
        outcome = files.run(*UPLOAD, url=instance.url)
    assert outcome.code == 1
    assert outcome.err.endswith("answered 503: Busy. To continue, run the same command again.\n")
    assert waits == sorted(waits)
    assert len(waits) == len(WAITS)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (problem(400, "Wrong.\nIn two lines."), "(400): Wrong. In two lines."),
        (problem(429, "Your pending files are too large."), "(429): Your pending files are too large."),
        (Answer(418), "(418): I'm a Teapot."),
        (Answer(404, {}, b"<html>"), "(404): Not Found."),
        (Answer(400, {}, b'["a"]'), "(400): Bad Request."),
        (Answer(301, {"Location": "https://elsewhere.example"}), "redirects to https://elsewhere.example."),
        (Answer(200, {}, b"<html>"), "did not return JSON."),
        (Answer(200, {}, b"\xff"), "did not return JSON."),
        (Answer(201, {}, b"7"), "did not return JSON."),
    ],
)
def test_another_response_is_an_error_in_one_line(
    files: Files, waits: list[float], answer: Answer, reason: str
) -> None:
    files.write("a.txt", b"text")
    with fake_instance(one_after_another(answer)) as instance:
        outcome = files.run(*UPLOAD, url=instance.url)
        assert len(instance.asked) == 1
    assert (outcome.code, outcome.err.count("\n")) == (1, 1)
    assert reason in outcome.err
    assert waits == []


@pytest.mark.parametrize("size", [4, MAX_CHUNK_SIZE + 1])
def test_an_expired_token_is_replaced(files: Files, size: int) -> None:
    files.write("a.txt", bytes(size))
    begun = Answer(
        201, {"Location": "http://elsewhere.example/auth/file/employee/document/pending/p1"}, REFERENCE
    )

    def script(asked: Asked) -> Answer:
        if asked.headers["authorization"] == "Bearer token-1":
            return problem(401, "Expired.")
        offset = int(asked.headers.get("upload-offset", "0"))
        sent = int(asked.headers.get("content-length", "0"))
        return {"POST": begun, "GET": Answer(body=REFERENCE)}.get(
            asked.method, Answer(204, {"Upload-Offset": str(offset + sent)})
        )

    with fake_instance(script) as instance:
        outcome = files.run(*UPLOAD, url=instance.url)
    assert outcome.code == 0
    assert [asked.headers["authorization"] for asked in instance.asked[:2]] == [
        "Bearer token-1",
        "Bearer token-2",
    ]


def test_a_password_that_gets_no_valid_token_is_not_tried_again_and_again(files: Files) -> None:
    files.write("a.txt", b"text")
    with fake_instance(one_after_another(problem(401, "No."))) as instance:
        assert files.run(*UPLOAD, url=instance.url).err == "The service refused the request (401): No.\n"
        assert len(instance.asked) == 2


def test_passwords_in_netrc_are_not_sent(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    netrc = files.write("netrc", b"machine 127.0.0.1 login other password secret")
    monkeypatch.setenv("NETRC", str(netrc))
    files.write("a.txt", b"text")
    with fake_instance(one_after_another(Answer(201, {}, REFERENCE))) as instance:
        assert files.run(*UPLOAD, url=instance.url).code == 0
        assert instance.asked[0].headers["authorization"] == "Bearer token-1"


def test_an_upload_stays_at_the_url_of_the_instance(files: Files) -> None:
    """The links of an instance can have another base URL, which may be unreachable from this machine."""
    files.write("a.txt", bytes(MAX_CHUNK_SIZE + 1))
    answers = (
        Answer(201, {"Location": "http://elsewhere.example/auth/file/employee/document/pending/p1"}),
        Answer(204, {"Upload-Offset": str(MAX_CHUNK_SIZE)}),
        Answer(204, {"Upload-Offset": str(MAX_CHUNK_SIZE + 1)}),
        Answer(200, {}, REFERENCE),
    )
    with fake_instance(one_after_another(*answers)) as instance:
        assert files.run(*UPLOAD, url=f"{instance.url}/stage/").code == 0
    paths = [asked.path for asked in instance.asked]
    assert paths == ["/stage/auth/file/employee/document"] + 3 * [
        "/stage/auth/file/employee/document/pending/p1"
    ]


@pytest.mark.parametrize(
    "answer",
    [problem(409, "No."), problem(460, "No."), problem(503, "No."), Answer(204, {"Upload-Offset": "0"})],
)
def test_a_chunk_that_is_not_stored_is_sent_from_the_present_offset(files: Files, answer: Answer) -> None:
    files.write("a.txt", bytes(MAX_CHUNK_SIZE + 10))
    answers = (
        Answer(201, {"Location": "/p1"}),
        answer,
        Answer(200, {"Upload-Offset": str(MAX_CHUNK_SIZE + 4)}),
        Answer(204, {"Upload-Offset": str(MAX_CHUNK_SIZE + 10)}),
        Answer(200, {}, REFERENCE),
    )
    with fake_instance(one_after_another(*answers)) as instance:
        assert files.run(*UPLOAD, url=instance.url).code == 0
    assert [asked.method for asked in instance.asked] == ["POST", "PATCH", "HEAD", "PATCH", "GET"]
    assert instance.asked[3].headers["upload-offset"] == str(MAX_CHUNK_SIZE + 4)
    assert instance.asked[3].headers["content-length"] == "6"


@pytest.mark.parametrize("offset", ["", "x", "-1", "9" * 5000])
def test_an_instance_without_tus_is_reported(files: Files, offset: str) -> None:
    files.write("a.txt", bytes(MAX_CHUNK_SIZE + 10))
    answers = (Answer(201, {"Location": "/p1"}), Answer(204, {"Upload-Offset": offset}))
    with fake_instance(one_after_another(*answers)) as instance:
        assert "did not return the offset" in files.run(*UPLOAD, url=instance.url).err
    with fake_instance(one_after_another(Answer(201, {}, REFERENCE))) as instance:
        assert "did not begin an upload" in files.run(*UPLOAD, url=instance.url).err


def test_a_truncated_response_continues_where_it_stopped(files: Files, waits: list[float]) -> None:
    def truncate(asked: Asked, answer: Answer) -> Answer:
        return answer._replace(body=answer.body[:40_000], length=len(answer.body))

    with fake_instance(file_script(truncate)) as instance:
        outcome = files.run(*DOWNLOAD, url=instance.url)
        starts = [asked.headers["range"] for asked in instance.asked if "if-range" in asked.headers]
    assert outcome.code == 0
    assert starts == ["bytes=0-99999", "bytes=32768-99999", "bytes=65536-99999"]
    assert (files.folder / "a.bin").read_bytes() == CONTENT
    assert len(waits) == 2
    assert outcome.err.startswith(f"The connection to {instance.url} broke: the response ended too early.")


def test_a_response_that_is_cut_off_at_the_limit_of_the_gateway_continues(files: Files) -> None:
    """RFC 9110 section 14.2 allows a server to send only a part of the requested range."""

    def cut_off(asked: Asked, answer: Answer) -> Answer:
        first = int(asked.headers["range"].removeprefix("bytes=").split("-")[0])
        body = answer.body[:30_000]
        content_range = f"bytes {first}-{first + len(body) - 1}/{len(CONTENT)}"
        return answer._replace(body=body, headers={**answer.headers, "Content-Range": content_range})

    with fake_instance(file_script(cut_off)) as instance:
        assert files.run(*DOWNLOAD, url=instance.url).code == 0
    assert (files.folder / "a.bin").read_bytes() == CONTENT


@pytest.mark.parametrize("size", ["x", "-1", "*", "9" * 5000])
def test_a_wrong_size_is_refused(files: Files, size: str) -> None:
    headers = {"ETag": '"f1"', "Content-Range": f"bytes 0-0/{size}"}
    with fake_instance(one_after_another(Answer(206, headers, b"x"))) as instance:
        outcome = files.run(*DOWNLOAD, url=instance.url)
    assert outcome.code == 1
    assert "is not the address of a file" in outcome.err


@pytest.mark.parametrize(
    "content_range", ["bytes 1-99999/100000", "bytes 0-99999/100001", "bytes 0-100000/100000"]
)
def test_another_range_than_the_requested_one_is_refused(files: Files, content_range: str) -> None:
    def wrong(_asked: Asked, answer: Answer) -> Answer:
        return answer._replace(headers={**answer.headers, "Content-Range": content_range})

    with fake_instance(file_script(wrong)) as instance:
        outcome = files.run(*DOWNLOAD, url=instance.url)
    assert (outcome.code, outcome.out) == (1, "")
    assert "sent another range than the requested one" in outcome.err
    assert not (files.folder / "a.bin").exists()


@pytest.mark.parametrize("answer", [Answer(200, {}, CONTENT), problem(413, "Too large."), Answer(416)])
def test_a_file_that_changes_all_the_time_is_given_up(files: Files, answer: Answer) -> None:
    with fake_instance(file_script(lambda _asked, _answer: answer)) as instance:
        outcome = files.run(*DOWNLOAD, url=instance.url)
    assert outcome.err == "The file changes all the time. Run the command again later.\n"


def test_a_page_that_is_no_file_is_refused(files: Files) -> None:
    with fake_instance(one_after_another(Answer(200, {}, b"<html>"))) as instance:
        assert "is not the address of a file" in files.run(*DOWNLOAD, url=instance.url).err


def test_a_name_with_a_path_stays_in_the_folder(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "RANGE_SIZE", len(CONTENT))
    name = {"Content-Disposition": "attachment; filename*=UTF-8''..%2F..%2F.ssh%2Fauthorized_keys"}
    script = file_script(lambda _asked, answer: answer)

    def evil(asked: Asked) -> Answer:
        answer = script(asked)
        return answer._replace(headers={**answer.headers, **name})

    with fake_instance(evil) as instance:
        outcome = files.run(*DOWNLOAD, url=instance.url)
    assert (outcome.code, outcome.out) == (0, "authorized_keys\n")
    assert [path.name for path in files.folder.iterdir()] == ["authorized_keys"]
