"""What a caller must have done to change how somebody signs in: signed in here, and lately.

A stolen token of an open page must not be enough to take over an account. So passwords, email addresses,
keys, links to providers, and sessions of others change only shortly after a sign-in, or with the current
password.
"""

from stratabase.core.domain.caller import Caller, RanCommand, SentPassword, SentToken
from stratabase.core.domain.issues.refusals import Forbidden
from stratabase.core.http.base.authentication import BEARER_CHALLENGE
from stratabase.core.http.base.refusals import InvalidCredentials
from stratabase.core.operations.ports import Clock
from stratabase.values.messages import _

FRESHNESS = 600_000
"""The milliseconds after a sign-in for which it counts as fresh."""
STALE_SIGN_IN_CHALLENGE = (
    f'{BEARER_CHALLENGE}, error="insufficient_user_authentication", max_age="{FRESHNESS // 1000}"'
)
"""The challenge for a client that must let its user sign in again (RFC 9470)."""


class StaleSignIn(InvalidCredentials):
    """The sign-in was too long ago for this request. A new one helps."""

    def __init__(self) -> None:
        message = _(
            "You signed in more than {minutes} minutes ago. To make this change, sign in again, or send your "
            'current password as "currentPassword" where the request supports it.',
            minutes=FRESHNESS // 60_000,
        )
        super().__init__(message, [STALE_SIGN_IN_CHALLENGE])


def require_sign_in(caller: Caller) -> None:
    """Raise Forbidden unless the caller has signed in to this service, or runs a command.

    API keys, tokens of programs and tokens of other services are for data. They reach no passwords, email
    addresses, keys, sessions and links, so that who gets hold of one cannot make it last. Of these, only the
    token of a program gets the next token of its session, until that ends.
    """
    proof = caller.proof
    has_signed_in = isinstance(proof, SentToken) and proof.signed_in is not None
    if not has_signed_in and not isinstance(proof, SentPassword | RanCommand):
        raise Forbidden(
            _(
                "API keys and tokens of other services can't be used for this. Sign in to this service with "
                "a username and a password, or with an identity provider."
            )
        )


def require_fresh_sign_in(caller: Caller, clock: Clock) -> None:
    """Raise StaleSignIn unless the caller has signed in at most FRESHNESS ago, or sends the password itself.

    Raises Forbidden like `require_sign_in`.
    """
    require_sign_in(caller)
    proof = caller.proof
    # The clock of the process that issued the token can be ahead.
    if isinstance(proof, SentToken) and clock.now() - (proof.signed_in or 0) > FRESHNESS:
        raise StaleSignIn
