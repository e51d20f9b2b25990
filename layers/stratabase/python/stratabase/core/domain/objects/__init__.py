"""Objects, and the effects of writes on them, as data. Nothing in this package reads or decides.

Read in this order:

- `entity`: an object at one moment: its reference, its state, its ID, and names of roles and counters; where
  the associations of a role are stored; the parts and the whole of an object
- `version`, `lock`: the instants at which versions begin and end; the reservation of an object
- `change`, `commit_refusals`: the effects of one atomic write, and why a store may refuse them
- `idempotency`: what a commit records for a request with an idempotency key
- `former_state`: an earlier state of an object, adapted to the model of today
- `instant`: points in time

Imports only the model and the packages below it. The rest of the domain, `operations` and `store` import this
package.
"""
