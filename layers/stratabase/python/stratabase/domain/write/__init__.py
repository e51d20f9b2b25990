"""What a write comes to: from a command, and what has been read, to effects and issues. Nothing here reads.

Read `commands` (what a client asks for) and `plan` first: its `plan_write` shows the phases in order.
1. `expand` makes a `request` of the command: an `ObjectWrite` for each object, with its `draft`; what is
   asked of roles goes through `to_one`, `to_many` and `parts` to `role_requests`. So does `restore`.
2. `associations` resolves what both sides ask of one association.
3. `permissions` and `restore_permissions` say what grants must allow.
4. `cardinality` and `locks` check the whole; `affected` and `warning_rules` are for the model's warnings.
5. `effects` says what becomes of each object; `explanations` tells why a store refuses that.

What is read comes from `snapshot`, which notes what it lacks. Imports the other packages of the domain; the
operations import this one.
"""
