"""The service: one model file becomes a complete back end.

Imports run in one direction: `values`, `core`, `terminal`, `members`, `evolution`, `transfer`, `server`,
`cli`. What AWS needs is the package `stratabase_aws`. The modules `bootstrap` and `streaming_runtime` lead to
it from the names that copies of `functions` in older projects import.
"""

__version__ = "0.1.0"
MODEL_LANGUAGE = 1
"""The version of the model language. It rises if a valid model becomes invalid or changes its meaning."""
