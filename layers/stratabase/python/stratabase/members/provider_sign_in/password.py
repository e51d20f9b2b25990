"""Sign in with a username and a password on the sign-in page, which ends with a code as with a provider."""

from collections.abc import Callable

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Unauthenticated
from stratabase.core.operations.ports import Clock
from stratabase.members.credentials import PASSWORD_WAY
from stratabase.members.exchange_codes import with_code
from stratabase.members.operations.rules import retry_conflicts
from stratabase.members.ports import Members
from stratabase.members.provider_sign_in.codes import new_code
from stratabase.members.provider_sign_in.return_address import with_answer
from stratabase.values.messages import _


class PasswordSignIn:
    """Verifies a password, and returns the address at which the browser brings a code to the front end.

    The code works for the client with the verifier of the challenge only. So a page that makes a browser send
    somebody's password here gets that person into no front end.
    """

    def __init__(self, verify: Callable[[str, str, str], Caller], members: Members, clock: Clock) -> None:
        """`verify(username, password, address)` returns the caller with these credentials."""
        self._verify = verify
        self._members = members
        self._clock = clock

    def __call__(self, username: str, password: str, address: str, return_to: str, challenge: str) -> str:
        """Return the address at which the sign-in ends: `return_to`, which was checked, with a code.

        `address`: the IP address of the request. Raises Unauthenticated, TooManyFailures, Forbidden,
        Unavailable.
        """
        caller = self._verify(username, password, address)

        def add_code() -> str:
            before, now = self._members.by_id(caller.id), self._clock.now()
            if before is None or before.disabled or before.generation != caller.generation:
                raise Unauthenticated(_("The username or password is incorrect."))
            code = new_code(before.id, challenge, PASSWORD_WAY, now, now)
            self._members.change(before, with_code(before, code.stored, now))
            return code.text

        return with_answer(return_to, {"code": retry_conflicts(add_code)})
