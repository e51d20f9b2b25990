"""Prints what happens, for the person at the terminal."""

import sys

from cli.server.report import News, Report


class Announcer:
    """Prints news of the service, and mistakes apart from them."""

    def say(self, *lines: str) -> None:
        """Print what went as it should."""
        print(*lines, sep="\n", flush=True)

    def warn(self, *lines: str) -> None:
        """Print what did not."""
        print(*lines, sep="\n", file=sys.stderr, flush=True)

    def tell(self, report: Report) -> None:
        """Print all of a worker's report."""
        if report.once:
            self.say(*report.once, "")
        if report.news is News.FAILED:
            self.warn(*report.lines)
        elif report.lines:
            self.say(*report.lines)
        if report.left:
            self.say(*report.left)
