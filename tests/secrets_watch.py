"""Looks for secrets where they don't belong: in answers, in the log, and in emails.

Each `tests.service.RunningService` has a watch, so all scenarios run under it. The watch learns each secret
when it is used: the passwords and tokens that the service accepts, the tokens that it issues, the links that
it mails, the keys that sign tokens, and the markers in secret settings. When the service ends, it searches
all that the service said. It sees the answers to requests of RunningService, not those to browsers.
"""

import base64
import json
import re
from collections.abc import Iterator, Mapping
from email import message_from_bytes, policy
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple
from urllib.parse import parse_qs, quote, quote_plus, unquote

from stratabase.core.settings import variables
from stratabase.members.key_text import KEY_PATTERN

SHORTEST = 12
"""Characters of the shortest secret. The policy of passwords allows no shorter ones."""
MAX_KEPT = 32 * 1024 * 1024
"""Bytes of answers after which they are searched and dropped."""
HASH = "$argon2"
"""How the hash of each password begins."""
_LINK_TOKEN = re.compile(r"token=([!-~]+)")
_API_KEY = re.compile(KEY_PATTERN.encode())
_CONSOLE_LINK = re.compile(r"^  https?://\S+$", re.MULTILINE)
"""A line by which the outbox announces a mail: on a laptop, the console is the mailbox."""
MARKERS = {
    "STRATABASE_SMTP": "smtp://marker:marker-of-the-mail-server@127.0.0.1:9",
    "AWS_SECRET_ACCESS_KEY": "marker-of-the-key-of-aws",
    "AWS_SESSION_TOKEN": "marker-of-the-session-of-aws",
}
"""Values for secret settings that a scenario does not set."""


class Leak(NamedTuple):
    """A secret that was found where it does not belong."""

    secret: str
    """What kind of secret it is."""
    place: str

    def __str__(self) -> str:
        return f"{self.secret} in {self.place}"


class SecretsWatch:
    """Learns secrets, keeps answers, and finds the secrets in them."""

    def __init__(self, settings: Mapping[str, str] | None = None) -> None:
        self._secrets: dict[bytes, str] = {HASH.encode(): "the hash of a password"}
        self._issued: dict[bytes, bytes] = {}
        """By token: the only answer that may have it."""
        self._answers: dict[bytes, str] = {}
        """By content: the place."""
        self._kept = 0
        self._texts: dict[bytes, str] = {}
        """By content: the place."""
        self._leaks: list[Leak] = []
        self._turn = Lock()
        """Several threads of a test note their answers."""
        for name, value in (settings or {}).items():
            if name in secret_settings():
                self.learn(value, f"the setting {name}")
                self.learn(_password_in_url(value), f"the password in the setting {name}")

    def learn(self, value: str, kind: str) -> None:
        """Learn a secret, in each form in which an answer could have it."""
        if len(value) >= SHORTEST:
            escaped = json.dumps(value)[1:-1]
            for form in {value, escaped, quote(value, safe=""), quote_plus(value)}:
                self._secrets[form.encode(errors="surrogatepass")] = kind

    def note(
        self, request: tuple[str, str, Mapping[str, str], Any], status: int, headers: Any, body: bytes
    ) -> None:
        """Learn from a request (method, path, headers, body) and its answer, and keep the answer."""
        method, path, request_headers, sent = request
        answer = repr(sorted(dict(headers).items())).encode() + b"\n" + body
        for token in _LINK_TOKEN.findall(unquote(path)):
            # The page of a link has the token of the link in its form.
            answer = answer.replace(token.encode(), b"")
        with self._turn:
            if status < 400:
                self._learn_credentials(request_headers)
                self._learn_body(sent)
            for token in re.findall(rb'"access_token": ?"([^"]+)"|<access_token>([^<]+)<', body):
                issued = next(filter(None, token))
                self._secrets[issued] = "a token"
                self._issued[issued] = answer
            for key in _API_KEY.findall(body) if status == 201 else ():
                self._secrets[key] = "an API key"
                self._issued[key] = answer
                self.learn(sha256(key).hexdigest(), "the hash of an API key")
            if answer not in self._answers:
                self._answers[answer] = f"the answer {status} to {method} {path.partition('?')[0]}"
                self._kept += len(answer)
                if self._kept > MAX_KEPT:
                    self._search_answers()

    def leaks(self, home: Path, log: str) -> list[Leak]:
        """Return all leaks. `home` is the data folder of the service, which has its keys and its outbox."""
        with self._turn:  # clients may send requests while the service stops
            mails = [message_from_bytes(file.read_bytes(), policy=policy.default) for file in _mails(home)]
            texts = [f"{dict(mail.items())}\n{mail.get_content()}" for mail in mails]
            for text in texts:
                for token in _LINK_TOKEN.findall(text):
                    secret = unquote(token).partition(".")[2]
                    self.learn(secret, "a mailed link")
                    self.learn(sha256(secret.encode()).hexdigest(), "the hash of a mailed link")
            for key in _signing_keys(home):
                self.learn(key, "a key that signs tokens")
            self._search_answers()
            for read, place in self._texts.items():
                self._search(read, place)
            self._search(_CONSOLE_LINK.sub("", log).encode(), "the log")
            for text in texts:
                self._search(_LINK_TOKEN.sub("", text).encode(), "an email, beside its own link")
            return self._leaks

    def search(self, text: str, place: str) -> None:
        """Search a text of the service, such as its metrics, when `leaks` is called."""
        self._texts[text.encode()] = place

    @property
    def searched(self) -> set[str]:
        """The places of the texts that `search` got."""
        return set(self._texts.values())

    def search_files(self, folder: Path) -> list[Leak]:
        """Return the leaks in all files of a folder, such as an export."""
        for file in sorted(each for each in folder.rglob("*") if each.is_file()):
            self._search(file.read_bytes(), file.name)
        return self._leaks

    def _learn_credentials(self, headers: Mapping[str, str]) -> None:
        scheme, _, value = next(
            (value for name, value in headers.items() if name.lower() == "authorization"), ""
        ).partition(" ")
        if scheme.lower() == "bearer":
            self.learn(value, "a token")
        elif scheme.lower() == "basic":
            self.learn(value, "credentials")
            self.learn(base64.b64decode(value).decode().partition(":")[2], "a password")

    def _learn_body(self, sent: Any) -> None:
        for name, value in _fields(sent):
            if name in {"password", "currentPassword"} and isinstance(value, str):
                self.learn(value, "a password")

    def _search_answers(self) -> None:
        for answer, place in self._answers.items():
            self._search(answer, place)
        self._answers.clear()
        self._kept = 0

    def _search(self, text: bytes, place: str) -> None:
        for secret, kind in self._secrets.items():
            if secret in text and self._issued.get(secret) != text:
                self._leaks.append(Leak(kind, place))


def secret_settings() -> set[str]:
    """Return the names of the variables with secrets."""
    ours = {variable.name for _, variable in variables() if variable.secret}
    return ours | {"AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"}


def _password_in_url(value: str) -> str:
    found = re.fullmatch(r"\w+://[^:@/]*:([^@/]*)@.*", value)
    return unquote(found[1]) if found else ""


def _mails(home: Path) -> Iterator[Path]:
    yield from sorted((home / "outbox").glob("*.eml"))


def _signing_keys(home: Path) -> Iterator[str]:
    file = home / "signing-keys.json"
    if file.exists():
        yield from (key["secret"] for key in json.loads(file.read_text())["keys"])


def _fields(sent: Any) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a body of JSON, or of a form."""
    text = sent.decode(errors="replace") if isinstance(sent, bytes) else sent
    if not isinstance(text, str) or "assword" not in text:
        return
    try:
        content = json.loads(text)
    except ValueError:
        yield from ((name, values[-1]) for name, values in parse_qs(text).items())
        return
    if isinstance(content, dict):
        yield from content.items()
