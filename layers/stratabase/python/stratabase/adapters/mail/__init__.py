"""Implementations of the port Mailer: a folder on this machine, an SMTP server, or Amazon SES.

Read `message` first, which converts a mail to an email message. `outbox`, `smtp` and `ses` deliver it. The
setting `STRATABASE_MAIL` selects one. The texts of the mails are in domain/members/mail.

Imports the domain, the model's rule for domains of email addresses, and stratabase.aws.
"""
