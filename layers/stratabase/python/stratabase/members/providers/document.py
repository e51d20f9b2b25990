"""The settings of all identity providers: a JSON document, of which every mistake is named with its place."""

import json
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from stratabase.core.model.model import Profile
from stratabase.members.providers.addresses import parse_url, reach_of
from stratabase.members.providers.provider import AccessTokenRule, ClaimPath, ProfileTable, Provider

MAX_DOCUMENT_BYTES = 64 * 1024
"""As many as a secret of AWS Secrets Manager can have."""
MAX_PROVIDERS = 50
_NAME = re.compile(r"[a-z][a-z0-9-]{0,31}")
_RESERVED_NAMES = frozenset({"password", "key", "token", "command", "link"})
"""What else the way of a sign-in can be, or part of an address."""
_SCOPE = re.compile(r"[!#-\[\]-~]+")
"""A scope (RFC 6749, section 3.3)."""
AT_JWT = "at+jwt"
_COMMON_CLAIMS = frozenset(
    (
        *("iss", "sub", "aud", "exp", "iat", "nbf", "jti", "azp", "acr", "amr", "auth_time"),
        *("nonce", "at_hash", "c_hash", "sid", "name", "email"),
    )
)
"""Claims that ID tokens can have, too. Without a value, they don't tell an access token from one."""


class BadProviders(ValueError):
    """The document is not valid. `mistakes` has a line for each mistake: its place, and what is right."""

    def __init__(self, mistakes: Collection[str]) -> None:
        super().__init__("\n".join(mistakes))
        self.mistakes = tuple(mistakes)


def parse_providers(text: str | bytes, profiles: Mapping[str, Profile]) -> tuple[Provider, ...]:
    """Return the providers in a document. `profiles`: those of the model, by name.

    Raises BadProviders, whose texts contain no value of the document that can be secret.
    """
    reader = _Reader(profiles)
    document = _decode(text)
    entry = reader.entry(document, "the document", {"providers"})
    listed = reader.list_of(entry.get("providers"), "providers", range(1, MAX_PROVIDERS + 1))
    providers = [reader.provider(each, f"providers[{number}]") for number, each in enumerate(listed)]
    found = [each for each in providers if each is not None]
    for field in ("name", "issuer"):
        values = [getattr(each, field) for each in found]
        for value in sorted({each for each in values if values.count(each) > 1}):
            reader.mistake("providers", f'several have the {field} "{value}"; each must have its own')
    if reader.mistakes:
        raise BadProviders(reader.mistakes)
    return tuple(found)


def _decode(text: str | bytes) -> object:
    """Return the JSON value of a document. Raises BadProviders."""
    if len(text) > MAX_DOCUMENT_BYTES:
        raise BadProviders([f"the document has more than {MAX_DOCUMENT_BYTES:,} bytes"])
    try:
        if isinstance(text, bytes):
            text = text.decode()
        return json.loads(text, object_pairs_hook=_unique_fields)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
    except UnicodeDecodeError as error:
        place = f"byte {error.start} is not UTF-8"
    except _DuplicateField as error:
        raise BadProviders([f'the field "{error.name}" occurs twice in one object']) from None
    except (RecursionError, ValueError):  # such as a number of 5,000 digits
        place = "it is nested too deeply, or has a number that is too long"
    # Without the cause, which has the text, and so the secrets.
    raise BadProviders([f"the document is not JSON: {place}"])


class _DuplicateField(Exception):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def _unique_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, value in pairs:
        if name in fields:
            raise _DuplicateField(name)
        fields[name] = value
    return fields


class _Reader:
    """Reads a document, and collects its mistakes. A part with a mistake is read as its default."""

    def __init__(self, profiles: Mapping[str, Profile]) -> None:
        self._profiles = profiles
        self.mistakes: list[str] = []

    def mistake(self, place: str, text: str) -> None:
        """Add a mistake."""
        self.mistakes.append(f"{place}: {text}")

    def provider(self, value: object, place: str) -> Provider | None:
        """Return a provider, None if something that it needs is missing."""
        before = len(self.mistakes)
        fields = self.entry(value, place, _REQUIRED, _OPTIONAL)
        if len(fields.keys() & _REQUIRED) < len(_REQUIRED):
            return None
        at = _places(place)
        private = self.switch(fields.get("mayBePrivate", False), at("mayBePrivate"))
        found = Provider(
            name=self.text(fields["name"], at("name"), _NAME_RULE, _is_name),
            label=self.text(fields["label"], at("label"), "a text of 1 to 60 characters", _is_label),
            issuer=self._issuer(fields["issuer"], at("issuer"), may_be_private=private),
            client_id=self.text(fields["clientId"], at("clientId"), _CREDENTIAL_RULE, _is_credential),
            client_secret=self.text(
                fields["clientSecret"], at("clientSecret"), _CREDENTIAL_RULE, _is_credential
            ),
            scopes=self._scopes(fields.get("scopes", ["openid", "profile", "email"]), at("scopes")),
            username_claim=self.claim(fields.get("usernameClaim", "preferred_username"), at("usernameClaim")),
            profiles=self._table(fields.get("profiles"), at("profiles")),
            creates_members=self.switch(fields.get("createsMembers", False), at("createsMembers")),
            trusts_email=self.switch(fields.get("trustsEmail", False), at("trustsEmail")),
            may_be_private=private,
            access_tokens=self._access_tokens(fields.get("accessTokens"), at("accessTokens")),
        )
        if found.creates_members and fields.get("profiles") is None:
            self.mistake(at("createsMembers"), "new members need a profile; add profiles, or use false")
        rule = found.access_tokens
        if rule is not None and (rule.audience_claim, rule.audience) == ("aud", found.client_id):
            self._check_own_audience(rule, at("accessTokens.audience"))
        return found if len(self.mistakes) == before else None

    def _check_own_audience(self, rule: AccessTokenRule, place: str) -> None:
        """Add a mistake if the audience is that of ID tokens, and only a claim tells them apart."""
        if rule.mark_claim is not None and rule.mark_value is None:
            self.mistake(
                place,
                "ID tokens have the same audience; use another one, a mark with a value, or the mark "
                f'"{AT_JWT}"',
            )

    def _issuer(self, value: object, place: str, *, may_be_private: bool) -> str:
        issuer = self.text(value, place, "an address such as https://id.example.com", bool)
        reach = reach_of(issuer, may_be_private=may_be_private)
        if issuer:
            try:
                parse_url(issuer, reach)
            except ValueError as error:
                self.mistake(place, str(error))
            if "?" in issuer:
                self.mistake(
                    place, "it has a query; use the issuer exactly as the provider's metadata has it"
                )
            if "{" in issuer or _ENTRA_ALIAS.match(issuer):
                self.mistake(place, "it stands for many tenants; use the address with the ID of your tenant")
        return issuer

    def _scopes(self, value: object, place: str) -> tuple[str, ...]:
        scopes = self.list_of(value, place, range(1, 31))
        rule = "a scope such as email, without spaces"
        found = tuple(
            self.text(each, f"{place}[{number}]", rule, _SCOPE.fullmatch)
            for number, each in enumerate(scopes)
        )
        if scopes and "openid" not in found:
            self.mistake(place, "openid is missing, without which a provider doesn't say who signs in")
        return found

    def _table(self, value: object, place: str) -> ProfileTable | None:
        if value is None:
            return None
        fields = self.entry(value, place, set(), {"claim", "values", "default"})
        at = _places(place)
        default = fields.get("default")
        if default is not None:
            default = self._profile(default, at("default"))
            profile = self._profiles.get(default)
            if profile is not None and profile.administrator:
                self.mistake(
                    at("default"),
                    f"{default} is the profile of administrators; use one that is not, or list values",
                )
        if ("claim" in fields) != ("values" in fields):
            self.mistake(place, "claim and values belong together; add the other one")
        if not fields.keys() & {"values", "default"}:
            self.mistake(place, "it gives nobody a profile; add claim and values, or a default")
        rows = self.entry(fields.get("values", {}), at("values"), None)
        return ProfileTable(
            self.claim(fields["claim"], at("claim")) if "claim" in fields else (),
            tuple((each, self._profile(rows[each], f'{at("values")}["{each}"]')) for each in rows),
            default,
        )

    def _profile(self, value: object, place: str) -> str:
        rule = f"a profile of the model: {', '.join(self._profiles)}"
        return self.text(value, place, rule, self._profiles.__contains__)

    def _access_tokens(self, value: object, place: str) -> AccessTokenRule | None:
        if value is None:
            return None
        fields = self.entry(value, place, {"audience", "mark"}, {"audienceClaim"})
        at = _places(place)
        if len(fields.keys() & {"audience", "mark"}) < 2:
            return None
        claim, mark_value = self._mark(fields["mark"], at("mark"))
        return AccessTokenRule(
            self.text(fields["audience"], at("audience"), _CREDENTIAL_RULE, _is_credential),
            self.text(fields.get("audienceClaim", "aud"), at("audienceClaim"), _CLAIM_RULE, bool),
            claim,
            mark_value,
        )

    def _mark(self, value: object, place: str) -> tuple[str | None, str | None]:
        """Return the claim of a mark and its value."""
        if value == AT_JWT:
            return None, None
        if not isinstance(value, dict):
            self.mistake(place, f'use "{AT_JWT}", or an object with the claim that only access tokens have')
            return None, None
        fields, at = self.entry(value, place, {"claim"}, {"value"}), _places(place)
        claim = self.text(fields.get("claim", "-"), at("claim"), _CLAIM_RULE, bool)
        expected = fields.get("value")
        if expected is not None:
            expected = self.text(expected, at("value"), "a text", bool)
        elif claim in _COMMON_CLAIMS:
            self.mistake(place, f"ID tokens have the claim {claim}, too; add its value, or use another claim")
        return claim, expected

    def claim(self, value: object, place: str) -> ClaimPath:
        """Return the path of a claim, which is a name or a list of names."""
        names = self.list_of(value, place, range(1, 9)) if isinstance(value, list) else [value]
        return tuple(
            self.text(each, f"{place}[{number}]" if isinstance(value, list) else place, _CLAIM_RULE, bool)
            for number, each in enumerate(names)
        )

    def text(self, value: object, place: str, rule: str, is_valid: Callable[[str], object]) -> str:
        """Return a text. Its value is not shown if it isn't valid, because it can be a secret."""
        if isinstance(value, str) and len(value) <= _MAX_TEXT and is_valid(value):
            return value
        self.mistake(place, f"use {rule}")
        return ""

    def switch(self, value: object, place: str) -> bool:
        """Return whether something is on."""
        if not isinstance(value, bool):
            self.mistake(place, "use true or false")
        return value is True

    def list_of(self, value: object, place: str, sizes: range) -> list[object]:
        """Return a list whose size is in a range."""
        if isinstance(value, list) and len(value) in sizes:
            return value
        self.mistake(place, f"use a list of {sizes.start} to {sizes.stop - 1}")
        return []

    def entry(
        self,
        value: object,
        place: str,
        required: Collection[str] | None,
        optional: Collection[str] = frozenset(),
    ) -> dict[str, Any]:
        """Return the known fields of an object, all of them if `required` is None."""
        if not isinstance(value, dict):
            self.mistake(place, "use an object")
            return {}
        if required is None:
            return value
        for name in sorted(set(required) - value.keys()):
            self.mistake(place, f'the field "{name}" is missing')
        known = {*required, *optional}
        for name in sorted(value.keys() - known):
            self.mistake(place, f'the field "{name}" is unknown; use {", ".join(sorted(known))}')
        return {name: each for name, each in value.items() if name in known}


def _places(place: str) -> Callable[[str], str]:
    return lambda name: f"{place}.{name}"


_REQUIRED = frozenset({"name", "label", "issuer", "clientId", "clientSecret"})
_OPTIONAL = frozenset(
    {
        *("scopes", "usernameClaim", "profiles", "createsMembers", "trustsEmail", "mayBePrivate"),
        "accessTokens",
    }
)
_MAX_TEXT = 2048
_NAME_RULE = (
    "1 to 32 lowercase letters, digits and hyphens, beginning with a letter, but none of "
    f"{', '.join(sorted(_RESERVED_NAMES))}"
)
_CREDENTIAL_RULE = "a text of 1 to 2,048 printable characters"
_CLAIM_RULE = "the name of a claim"
_ENTRA_ALIAS = re.compile(r"https://login\.microsoftonline\.[a-z]+/(common|organizations|consumers)(/|$)")


def _is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None and text not in _RESERVED_NAMES


def _is_label(text: str) -> bool:
    return len(text.strip()) > 0 and len(text) <= 60 and text.isprintable()


def _is_credential(text: str) -> bool:
    return bool(text) and text.isprintable()
