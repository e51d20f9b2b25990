"""Members: their fields, passwords, mailed links and mails, and the keys that sign their tokens.

Read in this order:

- `member`: the stored member, the caller of a request, and which changes end tokens and links
- `fields`: the table of the fields that clients can set
- `password`: the rules for passwords
- `mailed_link`, `mail`: the tokens of mailed links, and the texts of mails
- `attempts`: what is counted to limit failed sign-ins and mails
- `key_rotation`: which key signs tokens at which time
- `refusals`: the exceptions of all of these

Imports `domain.issues`, `domain.objects`, the model and the packages below it. Nothing here does I/O or reads
the clock.
"""
