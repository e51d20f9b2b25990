"""Issues and refusals: what is wrong with a request, and why it is not carried out.

Read `issue` first: the issues that a GraphQL service reports, and the objects that they concern. Then
`refusals`: the tree of exceptions that end a request, with hints for queries that read too much, and those of
uploads and downloads.
`equal_issues` merges the equal issues of many elements.

Imports only the model and `messages`. Every other package of the domain may import this one.
"""
