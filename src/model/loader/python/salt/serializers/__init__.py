"""Errors of serializers. See the modules of this package."""

from salt.exceptions import SaltException, SaltRenderError


class DeserializationError(SaltRenderError, RuntimeError):
    """A text cannot be read."""


class SerializationError(SaltException, RuntimeError):
    """A value cannot be written."""
