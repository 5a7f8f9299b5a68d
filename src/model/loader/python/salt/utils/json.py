"""JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

JSONDecodeError = json.JSONDecodeError
JSONEncoder = json.JSONEncoder
JSONDecoder = json.JSONDecoder


def _other(given: Any) -> Any:
    def default(value: Any) -> Any:
        if isinstance(value, Mapping):
            return dict(value)
        if given is not None:
            return given(value)
        raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")

    return default


def dumps(obj: Any, **kwargs: Any) -> str:
    kwargs.pop("_json_module", None)
    kwargs.setdefault("ensure_ascii", False)
    kwargs["default"] = _other(kwargs.get("default"))
    return json.dumps(obj, **kwargs)


def dump(obj: Any, fp: Any, **kwargs: Any) -> None:
    fp.write(dumps(obj, **kwargs))


def loads(s: Any, **kwargs: Any) -> Any:
    kwargs.pop("_json_module", None)
    return json.loads(s, **kwargs)


def load(fp: Any, **kwargs: Any) -> Any:
    return loads(fp.read(), **kwargs)


def find_json(raw: str) -> Any:
    """The first JSON in a text with other lines around it."""
    lines = raw.splitlines()
    for first, line in enumerate(lines):
        if not line.lstrip().startswith(("{", "[")):
            continue
        for last in range(len(lines), first, -1):
            try:
                return loads("\n".join(lines[first:last]))
            except ValueError:
                continue
    raise ValueError("No JSON was found")


def import_json() -> Any:
    return json
