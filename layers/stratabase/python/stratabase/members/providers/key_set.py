"""The public keys of a provider (JSON Web Key Set), and the algorithms that may be used with them."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from stratabase.members.providers.refusals import RefusalReason, SignInRefused
from stratabase.values.frozen import frozen

if TYPE_CHECKING:
    from jwt import PyJWS


class _KeyType(NamedTuple):
    """The kind of key that an algorithm needs."""

    type: str
    curve: str | None = None


_RSA, _ED25519 = _KeyType("RSA"), _KeyType("OKP", "Ed25519")
_ALGORITHMS: Mapping[str, _KeyType] = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), _RSA),
    "ES256": _KeyType("EC", "P-256"),
    "ES384": _KeyType("EC", "P-384"),
    "ES512": _KeyType("EC", "P-521"),
    "EdDSA": _ED25519,
    "Ed25519": _ED25519,
}
"""The algorithms that are allowed, all of them with public keys, and the key that each needs."""
_RSA_BITS = range(2048, 8193)
_MAX_NUMBER_LENGTH = 1400
"""Characters in the base64url form of the largest number of a key."""
_NUMBERS = {"RSA": ("n", "e"), "EC": ("x", "y"), "OKP": ("x",)}
_PRIVATE = frozenset({"d", "p", "q", "dp", "dq", "qi", "oth", "k"})
"""Members of private and symmetric keys. Who publishes them has no secret left to sign with."""


@frozen
class PublishedKeys:
    """The usable keys that a provider publishes. Others, such as private or symmetric ones, are left out."""

    keys: tuple[Mapping[str, Any], ...]

    def verify(self, token: str, algorithm: str, key_id: str | None) -> bytes | None:
        """Return the payload of a token that one of the keys has signed, None if no key fits.

        Raises SignInRefused with the reason ALGORITHM, SIGNATURE, or KEY if several keys fit.
        """
        needed = _ALGORITHMS.get(algorithm)
        if needed is None:
            raise SignInRefused(RefusalReason.ALGORITHM)
        fitting = [each for each in self.keys if _fits(each, key_id, algorithm, needed)]
        if not fitting:
            return None
        key = _public_key(fitting[0], needed) if len(fitting) == 1 else None
        if key is None:
            raise SignInRefused(RefusalReason.KEY)
        return _verified_payload(token, key, algorithm)


def parse_keys(document: Mapping[str, Any]) -> PublishedKeys | None:
    """Return the keys in a JSON Web Key Set, None if it is not one."""
    listed = document.get("keys")
    return PublishedKeys(tuple(filter(_is_usable, listed))) if isinstance(listed, list) else None


def _is_usable(key: object) -> bool:
    """Return whether something is a public key that signs, as far as its fields say."""
    if not isinstance(key, dict) or key.keys() & _PRIVATE:
        return False
    operations = key.get("key_ops", ["verify"])
    numbers = [names for type_, names in _NUMBERS.items() if type_ == key.get("kty")]
    return (
        key.get("use", "sig") == "sig"
        and isinstance(operations, list)
        and "verify" in operations
        and any(all(_is_number(key.get(name)) for name in names) for names in numbers)
    )


def _is_number(text: object) -> bool:
    return isinstance(text, str) and len(text) <= _MAX_NUMBER_LENGTH


def _fits(key: Mapping[str, Any], key_id: str | None, algorithm: str, needed: _KeyType) -> bool:
    """Return whether a key can have signed a token. A token without a key ID fits every key of its type."""
    return (
        (key_id is None or key.get("kid") == key_id)
        and _KeyType(key["kty"], key.get("crv") if needed.curve else None) == needed
        and key.get("alg", algorithm) == algorithm
    )


def _public_key(key: Mapping[str, Any], needed: _KeyType) -> object | None:
    """Return a key as `cryptography` has it, None if its numbers are not those of a strong key."""
    from jwt import PyJWTError  # noqa: PLC0415 - see _jws
    from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm  # noqa: PLC0415

    kinds: Mapping[str, Callable[[dict[str, Any]], Any]] = {
        "RSA": RSAAlgorithm.from_jwk,
        "EC": ECAlgorithm.from_jwk,
        "OKP": OKPAlgorithm.from_jwk,
    }
    try:
        found = kinds[needed.type](dict(key))
    except (PyJWTError, ValueError):
        return None
    return None if needed is _RSA and found.key_size not in _RSA_BITS else found


def _verified_payload(token: str, key: Any, algorithm: str) -> bytes:
    from jwt import PyJWTError  # noqa: PLC0415 - see _jws

    try:
        payload: bytes = _jws().decode(token, key, [algorithm])
    except (PyJWTError, ValueError) as error:
        raise SignInRefused(RefusalReason.SIGNATURE) from error
    return payload


def import_verification() -> None:
    """Import what verifies signatures. It takes long, so call it where it holds up no other request."""
    _jws()


@cache
def _jws() -> "PyJWS":
    # Imported at first use: only functions that verify tokens of providers need `cryptography`.
    from jwt import PyJWS  # noqa: PLC0415 - see above
    from jwt.algorithms import OKPAlgorithm  # noqa: PLC0415

    jws = PyJWS(algorithms=[each for each in _ALGORITHMS if each != "Ed25519"])
    jws.register_algorithm("Ed25519", OKPAlgorithm())
    return jws
