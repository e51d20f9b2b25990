"""Placeholder, replaced at the merge."""


def clean_file_name(sent: str) -> str:
    """Return the name."""
    return sent
