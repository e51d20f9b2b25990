"""The write pipeline: load, plan, check permissions and warnings, commit; again if another write intervened.

Read `services` first (save, delete, restore, preview, validate), then `pipeline`, which shows one round in
order: `load` reads what the plan lacks, `permissions` and `warnings` evaluate conditions over the states in
`state_readers`, `attempt` commits, or finds out what the store has against it. `outcome` is what comes of it,
`options` is what a client says beside the command. `bulk` does the same with each object of a query.

Imports the domain's write package, and reads through the readers of operations; the schema imports this.
"""
