"""The error of a store that cannot be used until a person repairs it or corrects a setting."""


class UnusableStore(Exception):
    """A file or a secret of this instance cannot be used as it is; the text says why, and what to do.

    It is no refusal of a request: trying again changes nothing. Commands show the text.
    """
