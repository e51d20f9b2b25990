"""Ways to send mail from this machine, and the queue of mails that people wait for.

Read `message` first, which converts a mail to an email message. `outbox` and `smtp` deliver it. The setting
`STRATABASE_MAIL` selects one. `sqlite_queue` keeps requests until a thread of `stratabase serve` has mailed
their links.
"""
