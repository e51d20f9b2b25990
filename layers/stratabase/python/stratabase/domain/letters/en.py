"""The letters in English."""

from stratabase.domain.letters.letter import Letter, Letters

_RESET = Letter(
    "{application}: choose a new password",
    """\
Hello {username},

a new password was asked for your account "{username}" at {application}.

To choose it, open this address within one hour:

{link}

The address works once. Until then your present password stays as it is.

If you do not want a new password, there is nothing that you need to do: without
this address nobody can choose one. Do not pass it on.
""",
)

_INVITATION = Letter(
    "{application}: welcome, choose your password",
    """\
Hello {username},

an account was made for you at {application}. Your username is "{username}".

To choose your password, open this address within one hour:

{link}

The address works once. If the hour is over, ask an administrator of
{application} for a new one. Do not pass it on.
""",
)

LETTERS = Letters(_RESET, _INVITATION)
