"""A clock for tests of what takes time."""


class Time:
    """A clock that one sets, in seconds; whoever sleeps sets it forward."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds

    def milliseconds(self) -> int:
        return int(self.seconds * 1000)

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds
