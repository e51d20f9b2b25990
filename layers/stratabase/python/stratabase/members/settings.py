"""The settings of sign-in and of members."""

from pathlib import Path
from typing import Annotated

from stratabase.core.setting_values import Variable, one_of, parse_path, parse_switch, whole_number
from stratabase.values.formats.preferences import FORMATS_BY_NAME
from stratabase.values.frozen import frozen


@frozen
class MemberSettings:
    """The settings of sign-in and of members."""

    token_minutes: Annotated[
        int,
        Variable("STRATABASE_TOKEN_MINUTES", whole_number(1, 1440), "How many minutes a token is valid."),
    ] = 30
    session_hours: Annotated[
        int,
        Variable(
            "STRATABASE_SESSION_HOURS",
            whole_number(1, 720),
            "How many hours after sign-in a member can refresh tokens.",
        ),
    ] = 12
    formats: Annotated[
        str,
        Variable(
            "STRATABASE_FORMATS",
            one_of(FORMATS_BY_NAME),
            f"The formats of dates and times of members who choose none: {' or '.join(FORMATS_BY_NAME)}.",
        ),
    ] = "default"
    password_length: Annotated[
        int | None,
        Variable(
            "STRATABASE_PASSWORD_LENGTH",
            whole_number(8, 64),
            "The minimum length of a password. The default is that of the installation.",
        ),
    ] = None
    identity_providers: Annotated[
        Path | None,
        Variable(
            "STRATABASE_IDENTITY_PROVIDERS",
            parse_path,
            "A JSON file with the identity providers with which members can sign in.",
        ),
    ] = None
    require_current_password: Annotated[
        bool,
        Variable(
            "STRATABASE_REQUIRE_CURRENT_PASSWORD",
            parse_switch,
            "Whether members must send their current password to change it or their email address.",
        ),
    ] = True
    audit_days: Annotated[
        int,
        Variable(
            "STRATABASE_AUDIT_DAYS", whole_number(1, 3650), "For how many days the audit trail keeps entries."
        ),
    ] = 90
