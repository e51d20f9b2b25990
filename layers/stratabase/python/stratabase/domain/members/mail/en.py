"""The mail templates in English."""

from stratabase.domain.members.mail.template import MailTemplate, MailTemplates

_RESET = MailTemplate(
    "{application}: choose a new password",
    """\
Hello {username},

Somebody asked for a new password for your account "{username}" at {application}.

To choose it, open this address within one hour:

{link}

The address works once. Until then your current password stays as it is.

If you do not want a new password, there is nothing that you need to do: without
this address nobody can choose one. Do not pass it on.
""",
)
_INVITATION = MailTemplate(
    "{application}: welcome, choose your password",
    """\
Hello {username},

An account was created for you at {application}. Your username is "{username}".

To choose your password, open this address within one hour:

{link}

The address works once. If the hour is over, ask an administrator of
{application} for a new one. Do not pass it on.
""",
)
_CONFIRMATION = MailTemplate(
    "{application}: confirm your new email address",
    """\
Hello {username},

Somebody asked to make {email} the email address of the account "{username}"
at {application}.

To confirm it, open this link within one hour and press the button on the page:

{link}

The link works once. Until then the account keeps its current email address.

If you did not ask for this, or the account is not yours, do nothing, and nothing
changes. Do not press the button, and do not pass the link on.
""",
)
_CHANGE_REQUESTED = MailTemplate(
    "{application}: request to change your email address",
    """\
Hello {username},

Somebody asked to change the email address of your account "{username}" at {application}.
Mail goes to {email} until the new address is confirmed.

If it was you, there is nothing that you need to do here.

If it was not you, somebody else may know your password: change it now. That also
cancels the change of the address. An administrator of {application} can help you.
""",
)
_CHANGED = MailTemplate(
    "{application}: your email address was changed",
    """\
Hello {username},

The email address of your account "{username}" at {application} was changed, after
the new one was confirmed. From now on, mail goes there and no longer to {email}.

If it was not you, tell an administrator of {application} at once.
""",
)
TEMPLATES = MailTemplates(_RESET, _INVITATION, _CONFIRMATION, _CHANGE_REQUESTED, _CHANGED)
