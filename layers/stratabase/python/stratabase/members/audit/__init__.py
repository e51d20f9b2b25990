"""The audit trail: who signed in, who was refused, and what changed about members.

Read in this order:

- `entry`: an entry, the kinds of entries, and a page of them
- `changes`: what a change of a member's record reports
- `recorder`: writes entries for the present request

The stores are in `members.stores` and `stratabase_aws.members`. Imports `core`, and the record of a member.
"""
