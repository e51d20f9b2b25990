"""A clock for tests of timeouts and pauses."""


class Time:
    """A settable clock in seconds. Sleeping advances it."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds

    def milliseconds(self) -> int:
        return int(self.seconds * 1000)

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds
