"""The product's use cases: each reads what it needs, decides by the rules of the domain, and then writes.

`ports` has the interfaces that stores and adapters implement, and `context` what all operations share: the
`Services` of a process, and the data that all reads of one request share, with its deadline. `file_ports` has
the interfaces for files, `store_marks` the operations on the marks of stores, and `attempts_with_fallback`
the attempts that are counted in memory while their store fails. `graphql_port` is the port through which
`http` executes GraphQL.

- `read`: objects, pages, derived values, and versions, as a caller may see them
- `write`: create, update, delete, restore, preview, and validate objects, one by one or in bulk
- `locks`: lock and unlock objects
- `files`: accept, bind, open and delete files

What concerns members is in the package `members`. This package imports `domain` and the layers below it.
`http`, `schema`, and the packages above the core import it.
"""
