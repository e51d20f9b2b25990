"""Members: who may use an instance, how they sign in, and the mails that they get.

Read in this order:

- `member`: the stored member, and which changes end tokens and links
- `credentials`: what the record has of signing in: sessions, API keys, links to providers, and codes
- `sessions`, `api_keys`, `provider_links`, `exchange_codes`: the rules for each of them
- `key_text`: the text of an API key
- `fields`: the table of the fields that clients can set
- `password`: the rules for passwords
- `mail`, `mailed_link`: the texts of mails, requests for them, and the tokens of mailed links
- `request_source`: where a request comes from
- `attempts`: what is counted to limit failed sign-ins and mails
- `audit_entry`: the entries of the audit trail
- `refusals`: the exceptions of all of these
- `settings`: the settings of sign-in and of members
- `ports`: the interfaces of stores, keys and mail

Then the packages: `audit` (what happened), `sign_in` (passwords, tokens and sessions), `providers` (the
protocol of identity providers), `provider_sign_in` (signing in with them), `operations` (what administrators
and members may do), `keys` and `stores` and `mailers` (on this machine), `endpoints` and `pages` (over HTTP),
`app` (all of these for an app), and `commands`. `backfill` replaces names of members in objects of
earlier versions by ids.

Imports `core`, `terminal` and `values`.
"""
