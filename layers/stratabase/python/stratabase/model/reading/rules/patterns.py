"""The patterns of a domain are regular expressions that RE2 understands."""

from collections.abc import Iterator

from stratabase.model.malformed import Malformed
from stratabase.model.reading.manuscript import Manuscript
from stratabase.model.reading.mistake import Mistake, mistake, shown
from stratabase.model.types.rules.pattern import compiled


def patterns(manuscript: Manuscript) -> Iterator[Mistake]:
    """Check every pattern of every @domain."""
    for member in manuscript.members:
        use = member.use("domain")
        if use is None or not member.type or "pattern" not in member.type.restrictions:
            continue
        if use["pattern"] == () and use.sound:
            yield mistake(use.at("pattern"), "No value is possible: pattern is empty.")
        for pattern, node in use.each("pattern"):
            try:
                compiled(pattern)
            except Malformed as reason:
                yield mistake(node, f'"{shown(pattern)}" is no regular expression (RE2): {reason}.')
