"""What the package brings to an app: its `routes` of Lambda functions, and its `erasures`.

Imports the rest of `evolution`.
"""
