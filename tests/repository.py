"""The root of the repository, whose files tests read."""

from pathlib import Path

ROOT = Path(__file__).parent.parent
