"""The error that a command shows to the user without a traceback, and the exit codes."""

FAILED = 1
"""The exit code of a command that failed."""
MISUSED = 2
"""The exit code of a command with wrong arguments or settings, as in argparse."""


class CommandError(Exception):
    """An error that the user can fix. The text says what is wrong and how to fix it."""

    def __init__(self, text: str, exit_code: int = FAILED) -> None:
        super().__init__(text)
        self.exit_code = exit_code


def text_with_cause(error: Exception) -> str:
    """Return the text of an error with its root cause, which the operator needs but clients never see."""
    cause: BaseException = error
    while cause.__cause__ is not None:
        cause = cause.__cause__
    reason = str(getattr(cause, "message", None) or cause)
    return str(error) if reason in str(error) else f"{error} ({reason})"
