"""What delivers mail: a folder on this machine, any SMTP server, or Amazon SES."""
