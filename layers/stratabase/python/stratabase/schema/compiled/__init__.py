"""Answers compiled per document: what graphql-core's executor would answer, many times faster.

Nothing here reports an error. Whatever is not plainly good is left to graphql-core, which executes the same
operation over the outcomes that are there already, and so is the one judge of errors and nulls.
"""
