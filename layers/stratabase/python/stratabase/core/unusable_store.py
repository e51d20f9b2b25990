"""The errors of a store that cannot be used until a person repairs it or corrects a setting."""


class UnusableStore(Exception):
    """A file or a secret of this instance cannot be used. The text says why, and what to do.

    This is not a refusal, because retrying cannot help. Commands show the text to the user.
    """


class StoreServiceError(Exception):
    """An error of a service on the network that keeps a store.

    `advice` tells the operator what to set, None if the settings are not the reason.
    """

    advice: str | None = None
