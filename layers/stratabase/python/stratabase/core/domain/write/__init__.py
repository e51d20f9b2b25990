"""The planning of a write: from a command and what has been read, to effects and issues. Nothing here reads.

Read `commands` (what a client requests) and `plan` first. `plan_write` shows the phases in order:

0. `plan.find_excess` refuses a command that exceeds a limit.
1. `expand` turns the command into a `request`: an `ObjectWrite` for each object, with values and files
   checked by `draft`. `expand` and `roles` record as `role_requests` what the command requests of roles.
   `restore` expands a restoration.
2. `roles` combines what both sides of an association request.
3. `permissions` and `restore_permissions` list the permissions that grants must give.
4. `checks` checks required roles, locks and expected versions.
5. `effects` makes the effects, with the platform attributes, and chooses the start of the new versions:
   `effects_of`, step 2.

Afterwards, `plan`, `touched` and `warning_rules` say which warnings of the model to evaluate, and
`explanations` turns a refusal of the store into issues. `limits` has the limits of one write, and of one bulk
service.

Everything that a plan knows comes from its `snapshot`, which also notes what must still be read. This package
imports the other packages of the domain; `operations` imports it.
"""
