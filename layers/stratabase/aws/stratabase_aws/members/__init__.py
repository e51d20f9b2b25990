"""The stores of members and of sign-in attempts, which share one DynamoDB table.

Read `pynamodb_table` first. Then `pynamodb_members`, `pynamodb_audit`, `pynamodb_attempts` and
`pynamodb_mark`. tests/contract/members, audit and attempts verify that they behave like those of
`members.stores`.
Existing instances contain data, so the keys and attributes must stay readable.
"""
