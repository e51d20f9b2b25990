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

_CONFIRMATION = Letter(
    "{application}: confirm your new email address",
    """\
Hello {username},

{email} is to become the email address of the account "{username}" at {application}.

To confirm it, open this link within one hour and press the button on the page:

{link}

The link works once. Until then the account keeps its present email address.

If you did not ask for this, or the account is not yours, do nothing, and nothing
changes. Do not press the button, and do not pass the link on.
""",
)

_CHANGE_REQUESTED = Letter(
    "{application}: another email address was asked for",
    """\
Hello {username},

another email address was asked for your account "{username}" at {application}. Mail
goes to {email} until the new address is confirmed from there.

If it was you, there is nothing that you need to do here.

If it was not you, somebody else may know your password: change it now. That also
cancels the change of the address. An administrator of {application} can help you.
""",
)

_CHANGED = Letter(
    "{application}: your email address was changed",
    """\
Hello {username},

your account "{username}" at {application} has another email address now, which was
confirmed from there. From now on mail goes there, and no more to {email}.

If it was not you, tell an administrator of {application} at once.
""",
)

LETTERS = Letters(_RESET, _INVITATION, _CONFIRMATION, _CHANGE_REQUESTED, _CHANGED)
