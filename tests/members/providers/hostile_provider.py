"""A provider on the loopback interface whose every answer a test can spoil, and its keys and tokens."""

import json
import ssl
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import jwt
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.x509.oid import NameOID
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

from stratabase.members.providers.provider import Provider
from tests.fakes import NOON, FrozenClock

NOW = NOON // 1000
CLIENT_ID, CLIENT_SECRET = "hr", "a secret: with + and ü"
REDIRECT_URI = "https://hr.example.com/public/signIn/corp/callback"
NONCE, VERIFIER, CODE = "a nonce", "v" * 43, "a code"
METADATA, KEYS, TOKEN, USER_INFO = "/.well-known/openid-configuration", "/keys", "/token", "/userinfo"

_KINDS: Mapping[str, Callable[[], Any]] = {
    "RS256": lambda: rsa.generate_private_key(65537, 2048),
    "RSA-1024": lambda: rsa.generate_private_key(65537, 1024),
    "ES256": lambda: ec.generate_private_key(ec.SECP256R1()),
    "ES384": lambda: ec.generate_private_key(ec.SECP384R1()),
    "ES512": lambda: ec.generate_private_key(ec.SECP521R1()),
    "EdDSA": ed25519.Ed25519PrivateKey.generate,
}


def private_key(kind: str = "RS256", number: int = 0) -> Any:
    """Return a private key for an algorithm, another one for each number."""
    return _private_key(kind, number)


@cache
def _private_key(kind: str, _number: int) -> Any:
    return _KINDS[kind]()


def public_jwk(key: Any, **fields: object) -> dict[str, Any]:
    """Return what a provider publishes of a key; a field that is `...` is left out."""
    algorithms = (RSAAlgorithm, ECAlgorithm, OKPAlgorithm)
    own = next(each for each in algorithms if isinstance(key, each._crypto_key_types))
    jwk = {**own.to_jwk(key.public_key(), as_dict=True), "use": "sig", **fields}
    return {name: value for name, value in jwk.items() if value is not ...}


def claims(issuer: str, **changes: object) -> dict[str, Any]:
    """Return the claims of a good ID token with changes; a claim that is `...` is left out."""
    good = {
        "iss": issuer,
        "sub": "248289761001",
        "aud": CLIENT_ID,
        "exp": NOW + 300,
        "iat": NOW,
        "nonce": NONCE,
        "preferred_username": "ada",
    }
    return {name: value for name, value in {**good, **changes}.items() if value is not ...}


def sign(payload: object, kind: str = "RS256", *, key: Any = None, **header: object) -> str:
    """Return a token with a payload and additional fields of the header, one of which can replace `alg`."""
    algorithm = "RS256" if kind == "RSA-1024" else kind
    raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    fields = {"kid": "1", **header}
    return jwt.PyJWS().encode(
        raw, key or private_key(kind), algorithm, {k: v for k, v in fields.items() if v is not ...}
    )


def part(content: object) -> str:
    """Return a part of a token: the content encoded as JSON, or the given bytes."""
    raw = content if isinstance(content, bytes) else json.dumps(content).encode()
    return urlsafe_b64encode(raw).decode().rstrip("=")


class Sent(NamedTuple):
    """A request that the provider got."""

    method: str
    path: str
    headers: Mapping[str, str]
    form: Mapping[str, str]


Write = Callable[[BaseHTTPRequestHandler], None]
"""Writes an answer of its own, with its status line."""


@dataclass
class HostileProvider:
    """A running provider. `answers`: by path, what it answers: an object as JSON, bytes, or a function."""

    issuer: str
    answers: dict[str, Any] = field(default_factory=dict, repr=False)
    statuses: dict[str, int] = field(default_factory=dict)
    headers: dict[str, Mapping[str, str]] = field(default_factory=dict)
    sent: list[Sent] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        self.publish(public_jwk(private_key(), kid="1"))
        self.answer_with(sign(claims(self.issuer)))
        self.answers[METADATA] = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}{TOKEN}",
            "jwks_uri": f"{self.issuer}{KEYS}",
            "userinfo_endpoint": f"{self.issuer}{USER_INFO}",
            "end_session_endpoint": f"{self.issuer}/logout?a=b",
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["plain", "S256"],
        }

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata, which can be changed before the first request."""
        found: dict[str, Any] = self.answers[METADATA]
        return found

    def publish(self, *keys: object) -> None:
        """Publish these keys and no others."""
        self.answers[KEYS] = {"keys": keys}

    def answer_with(self, id_token: object, **fields: object) -> None:
        """Answer each code with this ID token and further fields."""
        given = {"access_token": "an access token", "token_type": "Bearer", "id_token": id_token}
        self.answers[TOKEN] = {**given, **fields}

    def count(self, path: str) -> int:
        """Return how often a path was requested."""
        return sum(each.path == path for each in self.sent)

    def provider(self, **changes: Any) -> Provider:
        """Return the settings of this provider."""
        fields = {"may_be_private": True, **changes}
        return Provider("corp", "Example Inc.", self.issuer, CLIENT_ID, CLIENT_SECRET, **fields)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    provider: HostileProvider

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self._answer({name: values[0] for name, values in parse_qs(body).items()})

    def _answer(self, form: Mapping[str, str]) -> None:
        path = urlsplit(self.path).path
        self.provider.sent.append(Sent(self.command, path, dict(self.headers), form))
        answer = self.provider.answers.get(path)
        self.close_connection = True
        if callable(answer):
            write: Write = answer
            try:
                write(self)
            except OSError:
                return  # the client has left, as it should
        else:
            self.send_content(path, answer)

    def send_content(self, path: str, answer: object) -> None:
        """Send an object as JSON, or bytes."""
        body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(404 if answer is None else self.provider.statuses.get(path, 200))
        for name, value in {"Content-Length": str(len(body)), **self.provider.headers.get(path, {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_: object) -> None:
        """Say nothing when a client leaves early, such as one that does not trust the certificate."""


@contextmanager
def running_provider(
    host: str = "127.0.0.1", *, name: str | None = None, certificate: Path | None = None
) -> Iterator[HostileProvider]:
    """Yield a running provider. `name`: the host of its issuer. With a certificate, it uses TLS."""
    handler = type("Handler", (_Handler,), {})
    with _Server((host, 0), handler) as server:
        scheme = "http"
        if certificate is not None:
            scheme, context = "https", ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            server.socket = context.wrap_socket(
                server.socket, server_side=True, do_handshake_on_connect=False
            )
        provider = HostileProvider(f"{scheme}://{name or host}:{server.server_port}")
        handler.provider = provider  # type: ignore[attr-defined]
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield provider
        finally:
            server.shutdown()
            thread.join()


def write_certificate(folder: Path, *names: str, issuer: str = "Test") -> Path:
    """Write a certificate for these hosts, which signs itself, with its private key; return the file."""
    key = private_key("ES256", 99)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)])
    now = datetime.now(UTC)
    alternatives = [
        x509.IPAddress(ip_address(each)) if each[0].isdigit() else x509.DNSName(each) for each in names
    ]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = folder / "certificate.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
    return file


def clock() -> FrozenClock:
    """Return a clock at NOW."""
    return FrozenClock(NOON)
