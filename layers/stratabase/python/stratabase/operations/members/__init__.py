"""What members and administrators do with members.

`members` lists, reads, creates and removes them; `update` changes their fields; `rules` has what these share:
permissions, checks of fields, and retries after conflicts. `mailed_links` finds whose link was opened, and
limits mails; `email_change` and `password_reset` work by such links. `hand_over` gives the objects of one
member to another; `first_administrator` makes the first member of an empty store.

Imports point to `operations.ports`, `operations.services` and the domain.
"""
