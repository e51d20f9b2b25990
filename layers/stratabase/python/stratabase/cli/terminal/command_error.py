"""What a command raises for the person at the terminal: a text instead of a traceback, and the exit code."""

FAILED = 1
"""Exit code: what was asked could not be done."""
MISUSED = 2
"""Exit code: what was asked makes no sense (argparse uses it too)."""


class CommandError(Exception):
    """Something that the person at the terminal can fix; the text says what and how."""

    def __init__(self, text: str, exit_code: int = FAILED) -> None:
        super().__init__(text)
        self.exit_code = exit_code


def text_with_cause(error: Exception) -> str:
    """Return an error's text with its first cause, which clients are not told, but whoever fixes it needs."""
    cause: BaseException = error
    while cause.__cause__ is not None:
        cause = cause.__cause__
    reason = str(getattr(cause, "message", None) or cause)
    return str(error) if reason in str(error) else f"{error} ({reason})"
