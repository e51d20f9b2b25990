"""What a profile with grants may do; a profile that no grant names may do everything.

Read in this order:

- `grants`: the grants of one profile, by class, attribute and role
- `visibility`: what the profile must not read, reported before anything is read
- `requirements`: what a write needs to be allowed, and the issues where it is not

The package imports the model and the domain's objects and issues. It reads no objects: `operations`
evaluates the conditions of grants.
"""
