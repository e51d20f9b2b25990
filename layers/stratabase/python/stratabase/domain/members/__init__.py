"""Members: their fields, passwords, mailed links, mails, and the keys that sign their tokens.

`member` has the stored member, the caller of a request, and how changes of a member end its tokens and links.
`fields` is the one table of the fields that clients may give; `password` has the rules for passwords.
`mailed_link` has the tokens of links, `mail` the mails, `attempts` what is counted because it has a
limit, and `key_rotation` which key signs when. `refusals` has the exceptions of all of these.

Imports point to `domain.issues`, `domain.objects`, the model and `messages`. Nothing here does I/O or asks
for the time.
"""
