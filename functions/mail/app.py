"""The Lambda function `mail`: emails links to members who forgot their password."""

from stratabase_aws.functions import mail_handler

handler = mail_handler()
