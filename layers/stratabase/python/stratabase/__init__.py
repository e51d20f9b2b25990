"""The service: one model file becomes a complete back end."""

__version__ = "0.1.0"
MODEL_LANGUAGE = 1
"""The version of the model language. It rises if a valid model becomes invalid or changes its meaning."""
