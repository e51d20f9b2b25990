"""The error that a command shows to the user without a traceback, and the exit codes."""

import errno
from collections.abc import Mapping

FAILED = 1
"""The exit code of a command that failed."""
MISUSED = 2
"""The exit code of a command with wrong arguments or settings, as in argparse."""
INTERRUPTED = 130
"""The exit code of a command that the user interrupted, as in shells."""

_NOT_ALLOWED = "Run the command as the user who owns the file or folder, or change its permissions."
_NO_SPACE = "Make room, and try again."
_ADVICE: Mapping[int | None, str] = {
    errno.EACCES: _NOT_ALLOWED,
    errno.EPERM: _NOT_ALLOWED,
    errno.EROFS: "Use a folder that you can write to.",
    errno.ENOSPC: _NO_SPACE,
    errno.EDQUOT: _NO_SPACE,
    errno.EMFILE: "Raise the limit of open files (`ulimit -n`).",
}
"""By code of an error of the operating system that a person can fix: what to do."""


class CommandError(Exception):
    """An error that the user can fix. The text says what is wrong and how to fix it."""

    def __init__(self, text: str, exit_code: int = FAILED) -> None:
        super().__init__(text)
        self.exit_code = exit_code


def as_command_error(error: Exception) -> CommandError | None:
    """Return the error to show for any error that a person can fix. None for others, which are bugs."""
    if isinstance(error, CommandError):
        return error
    if isinstance(error, OSError):
        return _explain_system_error(error)
    # These modules take long to import, and are rarely needed.
    from stratabase.core.domain.issues.refusals import Refusal  # noqa: PLC0415
    from stratabase.core.model.reading import InvalidModel  # noqa: PLC0415
    from stratabase.core.settings import BadSettings  # noqa: PLC0415
    from stratabase.core.unusable_store import StoreServiceError, UnusableStore  # noqa: PLC0415

    if isinstance(error, StoreServiceError) and error.advice is not None:
        return CommandError(text_with_cause(error))
    if not isinstance(error, (BadSettings, InvalidModel, Refusal, UnusableStore)):
        return None
    return CommandError(text_with_cause(error), MISUSED if isinstance(error, BadSettings) else FAILED)


def _explain_system_error(error: OSError) -> CommandError | None:
    if error.errno not in _ADVICE:
        return None
    where = f"{error.filename}: " if error.filename is not None else ""
    return CommandError(f"{where}{error.strerror}. {_ADVICE[error.errno]}")


def text_with_cause(error: Exception) -> str:
    """Return the text of an error with its root cause, which the operator needs but clients never see.

    If a store doesn't respond because its service is not set up, the text says what to set instead.
    """
    # These modules are rarely needed.
    from stratabase.core.domain.issues.refusals import Unavailable  # noqa: PLC0415
    from stratabase.core.unusable_store import StoreServiceError  # noqa: PLC0415

    text, chain = str(error), [error]
    while isinstance(cause := chain[-1].__cause__, Exception):
        chain.append(cause)
    for each in chain if isinstance(error, (Unavailable, StoreServiceError)) else ():
        if isinstance(each, StoreServiceError):
            text = each.advice or text
    root = chain[-1]
    if root is error and not isinstance(error, StoreServiceError):
        return text
    reason = str(getattr(root, "message", None) or getattr(root, "strerror", None) or root)
    return text if reason in text else f"{text} ({reason})"
