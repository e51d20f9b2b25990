"""A browser without JavaScript on the sign-in page: its form, and the code with which a sign-in ends."""

import base64
import json
from hashlib import sha256
from typing import NamedTuple
from urllib.parse import parse_qs, urlencode, urlsplit

from tests.service import Reply, RunningService

SIGN_IN = "/public/signIn"
ACCOUNT = "/public/account"
BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
FORM = {**BROWSER, "Content-Type": "application/x-www-form-urlencoded"}
JSON = {"Content-Type": "application/json"}


class Proof(NamedTuple):
    """What a front end keeps, and what it tells the sign-in page."""

    verifier: str
    challenge: str


def proof(verifier: str = "v" * 43) -> Proof:
    digest = sha256(verifier.encode()).digest()
    return Proof(verifier, base64.urlsafe_b64encode(digest).rstrip(b"=").decode())


def submit(service: RunningService, return_to: str, challenge: str, username: str, password: str) -> Reply:
    """Send the form of the sign-in page."""
    fields = {"returnTo": return_to, "challenge": challenge, "username": username, "password": password}
    return service.request("POST", SIGN_IN, headers=FORM, body=urlencode(fields))


def code_of(reply: Reply) -> str:
    """Return the code in the address to which a sign-in leads."""
    assert reply.status == 303, reply.body
    (code,) = parse_qs(urlsplit(reply.headers["location"]).query)["code"]
    return code


def exchange(service: RunningService, code: str, verifier: str) -> Reply:
    """Exchange a code for a token."""
    body = json.dumps({"code": code, "verifier": verifier})
    return service.request("POST", "/public/token/exchange", headers=JSON, body=body)
