"""Issues and refusals: what is wrong with a request, and why it is not done.

`issue` has the issue that a GraphQL service reports and the object that it is about; `refusals` has the tree
of exceptions that end a request, with the hint for a query that reads too much. Read them in this order.

Imports point to the model only. Every other package of the domain may import this one.
"""
