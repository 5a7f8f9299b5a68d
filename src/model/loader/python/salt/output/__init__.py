"""Texts of data."""

from __future__ import annotations

import json
import pprint
import sys
from typing import Any, Dict, List

import salt.utils.yaml


def _nested(value: Any, indent: int = 0, prefix: str = "") -> List[str]:
    space = " " * indent
    if isinstance(value, dict):
        lines = [f"{space}{'-' * 10}"] if indent else []
        for key in sorted(value, key=str):
            item = value[key]
            lines.append(f"{space}{key}:")
            lines.extend(_nested(item, indent + 4))
        return lines
    if isinstance(value, (list, tuple)):
        lines = []
        for item in value:
            if isinstance(item, (dict, list, tuple)):
                below = _nested(item, indent + 2)
                lines.extend([f"{space}|_", *below] if isinstance(item, dict) else [f"{space}-", *below])
            else:
                lines.extend(_nested(item, indent, "- "))
        return lines
    text = str(value)
    return [f"{space}{prefix}{line}" for line in text.splitlines()] or [f"{space}{prefix}"]


def out_format(data: Any, out: str, opts: Any = None, **kwargs: Any) -> str:
    """A text, as ``--out`` of the programs writes it."""
    options: Dict[str, Any] = dict(opts or {})
    if out in ("json", "pprint", "raw", "yaml", "txt", "quiet", "key"):
        indent = options.get("output_indent") or 4
        if out == "json":
            return json.dumps(data, indent=indent, default=repr, ensure_ascii=False)
        if out == "pprint":
            return pprint.pformat(data)
        if out == "yaml":
            return str(salt.utils.yaml.safe_dump(data, default_flow_style=False))
        if out == "txt" and isinstance(data, dict):
            return "".join(f"{key}: {line}\n" for key in data for line in str(data[key]).splitlines() or [""])
        return "" if out == "quiet" else str(data)
    return "\n".join(_nested(data))


def try_printout(data: Any, out: str, opts: Any = None, **kwargs: Any) -> str:
    return out_format(data, out, opts, **kwargs)


def display_output(data: Any, out: str = "nested", opts: Any = None, **kwargs: Any) -> None:
    """Prints a text: with Brine it is in the log."""
    sys.stdout.write(out_format(data, out or "nested", opts, **kwargs) + "\n")


def get_printout(out: str = "nested", opts: Any = None, **kwargs: Any) -> Any:
    return lambda data, **more: out_format(data, out or "nested", opts, **more)


string_format = out_format
