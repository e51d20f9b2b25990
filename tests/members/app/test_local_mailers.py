"""The mailer is built from the settings, or the invalid setting is reported."""

import pytest

from stratabase.core.app.platform import platform_of
from stratabase.core.settings import BadSettings, Settings
from stratabase.members.ports import member_platform
from tests.rows import each_row


@each_row("mail", ["outbox", "smtp", "ses"])
def test_an_invalid_sender_is_a_bad_setting(mail: str) -> None:
    settings = Settings(mail=mail, mail_from="nobody", smtp="smtp://127.0.0.1:25")
    with pytest.raises(BadSettings, match=r'^STRATABASE_MAIL_FROM: "nobody" is not valid. Use the address'):
        member_platform(platform_of(settings)).mailer()


def test_a_server_must_be_named() -> None:
    with pytest.raises(BadSettings, match=r"^STRATABASE_SMTP is required"):
        member_platform(platform_of(Settings(mail="smtp"))).mailer()
