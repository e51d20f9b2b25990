"""The service: one model file becomes a complete back end."""

__version__ = "0.1.0"
