"""What a person did wrong, told without a traceback."""

BROKEN = 1
"""Exit code: what was asked could not be done."""
MISUSED = 2
"""Exit code: what was asked makes no sense (argparse uses it too)."""


class Fault(Exception):
    """Something that the person at the keyboard can mend; the text says what and how."""

    def __init__(self, text: str, code: int = BROKEN) -> None:
        super().__init__(text)
        self.code = code


def explained(error: Exception) -> str:
    """Return an error's text with its cause, which no client is told, but who must mend it needs."""
    cause: BaseException = error
    while cause.__cause__ is not None:
        cause = cause.__cause__
    reason = str(getattr(cause, "message", None) or cause)
    return str(error) if reason in str(error) else f"{error} ({reason})"
