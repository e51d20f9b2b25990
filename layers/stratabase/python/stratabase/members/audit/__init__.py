"""The audit trail: who signed in, who was refused, and what changed about members.

`members.audit_entry` has an entry, the kinds of entries, and a page of them. Read in this order:

- `actor`: who acts in the present request
- `changes`: what a change of a member's record reports
- `recorder`: makes and writes entries
- `audited_members`: reports each change of a member in its own commit

The stores are in `members.stores` and `stratabase_aws.members`. Imports `core`, and the record of a member.
"""
