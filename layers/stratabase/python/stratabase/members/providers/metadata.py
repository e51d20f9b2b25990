"""The metadata of a provider: its addresses, and what it supports (OpenID Connect Discovery)."""

from collections.abc import Mapping
from typing import Any

from stratabase.members.providers.addresses import parse_url
from stratabase.members.providers.provider import Provider
from stratabase.members.providers.refusals import ProviderFault, ProviderUnavailable
from stratabase.values.frozen import frozen

BASIC, POST = "client_secret_basic", "client_secret_post"
_PKCE_METHOD = "S256"


@frozen
class ProviderMetadata:
    """What a provider says about itself. All addresses have the form that the settings allow."""

    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None
    end_session_endpoint: str | None
    client_authentication: str
    """How the client sends its secret: BASIC or POST."""
    sends_issuer: bool
    """Whether each answer to the browser has an `iss` (RFC 9207)."""


def metadata_url(issuer: str) -> str:
    """Return the address of the metadata of an issuer."""
    return f"{issuer.removesuffix('/')}/.well-known/openid-configuration"


def parse_metadata(provider: Provider, document: Mapping[str, Any]) -> ProviderMetadata:
    """Return the metadata in a document. Raises ProviderUnavailable if it is not usable."""
    reader = _MetadataReader(provider, document)
    reader.check_issuer()
    reader.check_support("response_types_supported", "code")
    reader.check_support("code_challenge_methods_supported", _PKCE_METHOD)
    return ProviderMetadata(
        reader.url("authorization_endpoint"),
        reader.url("token_endpoint"),
        reader.url("jwks_uri"),
        reader.optional_url("userinfo_endpoint"),
        reader.optional_url("end_session_endpoint"),
        reader.client_authentication(),
        document.get("authorization_response_iss_parameter_supported") is True,
    )


class _MetadataReader:
    def __init__(self, provider: Provider, document: Mapping[str, Any]) -> None:
        self._provider = provider
        self._document = document

    def check_issuer(self) -> None:
        """Raise ProviderUnavailable unless the issuer is, to the byte, the one in the settings."""
        issuer = self._document.get("issuer")
        if issuer != self._provider.issuer:
            shown = f'"{issuer}"' if isinstance(issuer, str) and len(issuer) <= 200 else "not a text"
            raise self._unusable(f"issuer: it is {shown}; use exactly the issuer of the provider's metadata")

    def check_support(self, name: str, value: str) -> None:
        """Raise ProviderUnavailable if the metadata lists what is supported, and this is not."""
        listed = self._document.get(name)
        if listed is not None and (not isinstance(listed, list) or value not in listed):
            raise self._unusable(f"{name}: {value} is missing")

    def client_authentication(self) -> str:
        """Return how the client sends its secret. Without a list, the standard says BASIC."""
        listed = self._document.get("token_endpoint_auth_methods_supported", [BASIC])
        if isinstance(listed, list):
            for method in (BASIC, POST):
                if method in listed:
                    return method
        raise self._unusable(f"token_endpoint_auth_methods_supported: neither {BASIC} nor {POST} is there")

    def url(self, name: str) -> str:
        """Return an address that must be there."""
        url = self._document.get(name)
        if not isinstance(url, str):
            raise self._unusable(f"{name}: it is missing")
        try:
            parse_url(url, self._provider.reach)
        except ValueError as error:
            raise self._unusable(f"{name}: {error}", ProviderFault.ADDRESS) from error
        return url

    def optional_url(self, name: str) -> str | None:
        """Return an address, None if there is none."""
        return None if self._document.get(name) is None else self.url(name)

    def _unusable(self, text: str, fault: ProviderFault = ProviderFault.METADATA) -> ProviderUnavailable:
        return ProviderUnavailable(fault, f"{metadata_url(self._provider.issuer)}: {text}")
