"""Manage members: what members and administrators may do with members.

- `members`: list, read, create, and remove members
- `member_keys`: list, make and end API keys
- `update`: change the fields of a member
- `fresh_sign_in`: what a caller must have done to change how somebody signs in
- `rules`: what these share: permissions, checks of fields, and retries after conflicts
- `mailed_links`: find the member who opened a mailed link, and limit the number of mails
- `email_change`, `password_reset`: confirm an e-mail address, or set a password, by a mailed link
- `forgotten_password`: mail a link to somebody who forgot the password, without revealing who is a member
- `sessions`: list and end the sessions of members
- `audit`: read the audit trail
- `hand_over`: give the objects that one member owns to another
- `first_administrator`: create the first member of an empty store
- `renamed_profiles`: the members under a model that has renamed profiles
- `users`: the source of the objects of the class `_User`: the members, for reads over GraphQL

The package imports `operations.ports`, `operations.services` and the domain.
"""
