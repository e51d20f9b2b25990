"""Implementations of the port ForgottenPasswordQueue: a SQLite file on this machine, or a function on AWS.

`sqlite` keeps requests until a thread of `stratabase serve` has mailed their links. `lambda_function` passes
each request to a Lambda function, which AWS invokes later. The setting `STRATABASE_MAIL_FUNCTION` selects it.

Imports the domain, `store.sqlite` for opening files, and stratabase.aws.
"""
