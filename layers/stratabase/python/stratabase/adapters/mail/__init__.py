"""The mailers: a folder on this machine, any SMTP server, or Amazon SES (the port Mailer).

Read `message` first: it turns a mail into the bytes that travel. `outbox`, `smtp` and `ses` deliver them; the
setting `STRATABASE_MAIL` chooses one. The texts of the mails are in domain/members/mail.

Imports the domain, the model's rule for domains of e-mail addresses, and stratabase.aws.
"""
