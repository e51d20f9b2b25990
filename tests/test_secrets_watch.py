"""The watch over secrets finds each kind of leak, and accepts what must have a secret."""

import base64
import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from stratabase.members.mail import Mail
from stratabase.members.mailers.message import build_message, parse_sender
from tests.secrets_watch import MARKERS, SecretsWatch, secret_settings
from tests.service import basic

PASSWORD, TOKEN, LINK = "correct horse <battery>", "eyJh.e30.c2lnbmF0dXJl", "m1.c2VjcmV0LW9mLXRoZS1saW5r"
KEY = "the secret of a key"
API_KEY = "stratabase_06h0591rh9cjbrhjuu6ae1f0ok_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp13LL8yz"
TOKEN_ANSWER = json.dumps({"access_token": TOKEN}).encode()
MAILED = f"Open http://127.0.0.1:1/public/administration/setPassword?token={LINK} now."


class Watched:
    """A service under watch: its data folder, its log, and its watch."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.log = "a line\n"
        self.watch = SecretsWatch({**MARKERS, "STRATABASE_ADMIN_PASSWORD": "the first password"})
        (home / "outbox").mkdir(parents=True)
        (home / "signing-keys.json").write_text(json.dumps({"keys": [{"secret": KEY}]}))
        self.answer(b"{}", headers={"Authorization": basic("anna", PASSWORD)})
        self.answer(TOKEN_ANSWER, "POST", "/public/token/getJwtToken")
        self.answer(json.dumps({"key": API_KEY}).encode(), "POST", "/auth/keys", status=201)
        self.mail(MAILED)

    def answer(
        self,
        body: bytes,
        method: str = "GET",
        path: str = "/auth/x",
        *,
        headers: Any = None,
        sent: Any = None,
        status: int = 200,
        own: Any = None,
    ) -> None:
        self.watch.note((method, path, headers or {}, sent), status, own or {}, body)

    def mail(self, text: str) -> None:
        message = build_message(Mail("anna@example.com", "Hr", text), parse_sender("hr@example.com"))
        number = len([*(self.home / "outbox").iterdir()])
        (self.home / "outbox" / f"{number}.eml").write_bytes(bytes(message))

    def leaks(self) -> list[str]:
        return [str(leak) for leak in self.watch.leaks(self.home, self.log)]


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    return Watched(tmp_path / "home")


def test_secrets_where_they_belong_are_no_leaks(watched: Watched) -> None:
    watched.answer(f'<input name="token" value="{LINK}">'.encode(), path=f"/setPassword?token={quote(LINK)}")
    watched.answer(b"wrong", headers={"Authorization": basic("anna", "a wrong password")}, status=401)
    watched.answer(b"a wrong password is no secret", status=401)
    watched.log += "A mail to anna@example.com lies in a file\n  http://127.0.0.1:1/x?token=" + LINK + "\n"
    assert watched.leaks() == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (PASSWORD, "a password"),
        (json.dumps(PASSWORD), "a password"),
        (quote(PASSWORD), "a password"),
        (base64.b64encode(f"anna:{PASSWORD}".encode()).decode(), "credentials"),
        (TOKEN, "a token"),
        (LINK, "a mailed link"),
        (sha256(LINK.partition(".")[2].encode()).hexdigest(), "the hash of a mailed link"),
        (KEY, "a key that signs tokens"),
        (API_KEY, "an API key"),
        (sha256(API_KEY.encode()).hexdigest(), "the hash of an API key"),
        ("$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA", "the hash of a password"),
        ("the first password", "the setting STRATABASE_ADMIN_PASSWORD"),
        ("marker-of-the-mail-server", "the password in the setting STRATABASE_SMTP"),
        (MARKERS["AWS_SECRET_ACCESS_KEY"], "the setting AWS_SECRET_ACCESS_KEY"),
    ],
)
@pytest.mark.parametrize("place", ["answer", "header", "log", "mail"])
def test_each_kind_of_secret_is_found_in_each_place(
    place: str, text: str, kind: str, watched: Watched
) -> None:
    actions: dict[str, tuple[Callable[[], None], str]] = {
        "answer": (lambda: watched.answer(text.encode()), "the answer 200 to GET /auth/x"),
        "header": (
            lambda: watched.answer(b"", own={"location": f"/x?{text}"}),
            "the answer 200 to GET /auth/x",
        ),
        "log": (lambda: setattr(watched, "log", f"before {text} after"), "the log"),
        "mail": (lambda: watched.mail(f"Here: {text} ."), "an email, beside its own link"),
    }
    act, where = actions[place]
    act()
    assert f"{kind} in {where}" in watched.leaks()


def test_a_secret_is_found_although_it_is_learned_later(watched: Watched) -> None:
    watched.answer(b"your new password is: an even better one")
    body = json.dumps({"password": "an even better one"})
    watched.answer(b"Update Complete", "PUT", "/auth/y", sent=body)
    assert watched.leaks() == ["a password in the answer 200 to GET /auth/x"]


def test_a_password_from_a_form_is_learned(watched: Watched) -> None:
    watched.answer(b"", "POST", "/setPassword", sent="token=x&password=an+even+better+one", status=303)
    watched.answer(b"an even better one")
    assert watched.leaks() == ["a password in the answer 200 to GET /auth/x"]


def test_a_token_is_found_in_the_answer_to_another(watched: Watched) -> None:
    watched.answer(json.dumps({"access_token": "another token", "old": TOKEN}).encode(), "POST", "/refresh")
    assert watched.leaks() == ["a token in the answer 200 to POST /refresh"]


def test_secrets_are_found_in_other_texts(watched: Watched) -> None:
    watched.watch.search(f'requests_total{{member="{LINK}"}} 1', "the metrics")
    assert watched.leaks() == ["a mailed link in the metrics"]


def test_secrets_are_found_in_files(watched: Watched, tmp_path: Path) -> None:
    (tmp_path / "export" / "members").mkdir(parents=True)
    (tmp_path / "export" / "members" / "members.jsonl").write_text(json.dumps({"password": "$argon2id$v=19"}))
    found = [str(leak) for leak in watched.watch.search_files(tmp_path / "export")]
    assert found == ["the hash of a password in members.jsonl"]


def test_every_secret_setting_has_a_marker() -> None:
    """The scenarios set the password of `admin` themselves."""
    assert secret_settings() == MARKERS.keys() | {"STRATABASE_ADMIN_PASSWORD"}
