"""What objects are, and what may become of them; nothing here decides or reads.

Read `entity` first (an object at one moment, its reference and its state), then `version` and `lock` (since
when it is so, and who reserves it), `role_storage` and `parts` (where a role's associations are stored; the
whole of a part), `change` (the effects of one atomic write), `commit_refusals` (why a store refuses them),
`former_state` (an earlier state under the model of today), `identity` and `serials`.

Imports only the model. The rest of the domain, the operations and the store import this package.
"""
