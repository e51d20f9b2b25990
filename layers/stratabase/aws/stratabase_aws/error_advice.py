"""What an operator can do about an error of AWS, by its code."""

from collections.abc import Mapping

_NO_CREDENTIALS = (
    "The AWS credentials are missing. Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and "
    "set AWS_REGION. For an emulator, set STRATABASE_ENDPOINT, AWS_ACCESS_KEY_ID=local and "
    "AWS_SECRET_ACCESS_KEY=local."
)
_WRONG_CREDENTIALS = (
    "AWS refuses the credentials. Check AWS_PROFILE, or AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and "
    "AWS_SESSION_TOKEN."
)
_ADVICE: Mapping[str, str] = {
    **dict.fromkeys(("NoCredentialsError", "NoCredentials", "PartialCredentialsError"), _NO_CREDENTIALS),
    **dict.fromkeys(
        ("UnrecognizedClientException", "InvalidSignatureException", "ExpiredTokenException"),
        _WRONG_CREDENTIALS,
    ),
    "AccessDeniedException": "The AWS credentials don't allow this. Check the account and its policies.",
    "ResourceNotFoundException": (
        "The table doesn't exist. Check the names of the tables, AWS_REGION and STRATABASE_ENDPOINT."
    ),
}
"""By code of an error of AWS, or of the search for credentials: what to set."""
UNREACHED = "DynamoDB doesn't respond. Check AWS_REGION, STRATABASE_ENDPOINT and the network."


def settings_advice(code: str) -> str | None:
    """Return what to set after an error with a code, None if the settings are not the reason."""
    return _ADVICE.get(code)
