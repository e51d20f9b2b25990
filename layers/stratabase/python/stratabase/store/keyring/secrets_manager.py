"""The keys of tokens in a secret of AWS Secrets Manager."""

import uuid
from collections.abc import Callable, Sequence
from functools import partial
from random import uniform
from typing import NamedTuple

from stratabase import waiting
from stratabase.domain.issues.refusals import Unavailable
from stratabase.domain.members.key_rotation import SigningKey
from stratabase.store.keyring import document
from stratabase.store.keyring.secrets_client import Failed, SecretsClient
from stratabase.store.sqlite.errors import UnusableStore

MOST_ROUNDS = 8
"""After which a change gives up against others; each leaves a version behind, of which there may be 100."""
_CURRENT = "AWSCURRENT"
_NEXT = "stratabase-next"
"""The label of a version that is not current yet: one without any label may be removed."""


class _Version(NamedTuple):
    id: str
    keys: tuple[SigningKey, ...]


class SecretsManagerKeyring:
    """Keys in the current version of one secret, which is never written over.

    A change is a new version, which only becomes current in place of the very version that it was made from.
    So of two changes that begin at the same time one fails, and is made anew from what the other made.
    Every call raises UnusableStore when there is no such secret, or it holds something else.
    """

    def __init__(
        self, secret: str, client: SecretsClient, pause: Callable[[float], None] = waiting.pause
    ) -> None:
        self._secret = secret
        self._client = client
        self._pause = pause

    def keys(self) -> Sequence[SigningKey]:
        """Return all keys. Raises Unavailable."""
        return self._current().keys

    def change(self, changed: Callable[[Sequence[SigningKey]], Sequence[SigningKey]]) -> None:
        """Replace the keys, by what a function makes of them as they are. Raises Unavailable."""
        made: set[str] = set()
        for round_ in range(MOST_ROUNDS):
            if self._is_done(made, changed):
                return
            self._pause(uniform(0, 0.05 * 2**round_))  # noqa: S311 - no secret
        raise Unavailable("Other changes to the keys of tokens kept coming between; try again.")

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()

    def _is_done(
        self, made: set[str], changed: Callable[[Sequence[SigningKey]], Sequence[SigningKey]]
    ) -> bool:
        """Make one attempt, and return whether the change is made; `made`: the versions of all attempts."""
        before = self._current()
        # An answer was lost, if one of ours is current all the same.
        if before.id in made:
            return True
        after = tuple(changed(before.keys))
        if after == before.keys:
            return True
        version = str(uuid.uuid4())
        made.add(version)
        self._put(version, after)
        return self._is_promoted(version, before.id)

    def _current(self) -> _Version:
        found = self._call("get_secret_value", VersionStage=_CURRENT)
        try:
            return _Version(found["VersionId"], document.read(found.get("SecretString") or ""))
        except ValueError as error:
            raise UnusableStore(
                f"The secret {self._secret} does not hold the keys of tokens: {error}. "
                "Make an older version of it current again."
            ) from error

    def _put(self, version: str, keys: tuple[SigningKey, ...]) -> None:
        # A repeated request with this token makes no second version.
        self._call(
            "put_secret_value",
            ClientRequestToken=version,
            SecretString=document.written(keys),
            VersionStages=[_NEXT],
        )

    def _is_promoted(self, version: str, instead_of: str) -> bool:
        """Make a version current, if that other one still is; return whether it is surely done."""
        move = partial(self._client.call, "update_secret_version_stage", SecretId=self._secret)
        try:
            move(VersionStage=_CURRENT, MoveToVersionId=version, RemoveFromVersionId=instead_of)
        except Failed as failed:
            # Not current any more, or the answer was lost: what is current now will tell.
            if failed.is_lost or failed.code in ("InvalidParameterException", "ResourceNotFoundException"):
                return False
            raise failed.told(self._secret) from failed
        return True

    def _call(self, operation: str, **parameters: object) -> dict[str, str]:
        try:
            return self._client.call(operation, SecretId=self._secret, **parameters)
        except Failed as failed:
            raise failed.told(self._secret) from failed
