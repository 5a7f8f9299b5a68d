"""Execution modules that can be imported: others are in ``__salt__``."""
