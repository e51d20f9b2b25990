"""What the model permits a profile: by its grants, and by its `access` where no grant names it.

Read in this order:

- `grants`: the rights of one profile, by class, attribute and role
- `visibility`: what the profile may read of a class, and the issues that are known before anything is read
- `capabilities`: what the profile may use of some objects, which decides what it sees of the schema
- `extents`: whether the profile may do so with all objects, or a condition decides
- `requirements`: the permissions that a write requires, and the issues of those that are missing

Imports the model, and the domain's objects and issues. Nothing here reads objects: `operations` evaluates the
conditions of grants.
"""
