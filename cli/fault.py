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
