"""What the members bring to an app: authentication, the operations on members, their routes and stores.

- `auth_services`: signs members in, and issues tokens
- `member_services`: the operations on members
- `provider_services`: the identity providers that the settings name
- `provider_sign_in`: signs members in with them
- `audit_jobs`: the job that keeps the audit trail in order
- `routes`: the addresses of tokens, members and passwords
- `local_platform`: the platform of SQLite, which opens the stores of members, too
- `mailers`: the mailers that the settings can name

Imports all packages of `members`, and the app of the core.
"""
