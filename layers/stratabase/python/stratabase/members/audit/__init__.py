"""The audit trail: who signed in, who was refused, and what changed about members.

`entry` has an entry, the kinds of entries, and a page of them.

The stores are in `members.stores` and `stratabase_aws.members`. Imports `core`, and the record of a member.
"""
