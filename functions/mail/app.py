"""The Lambda function `mail`: emails links to members who forgot their password."""

from stratabase.bootstrap import mail_handler

handler = mail_handler()
