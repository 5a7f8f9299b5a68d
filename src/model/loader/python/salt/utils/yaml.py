"""YAML: by PyYAML if this Python has it, otherwise by Brine."""

from __future__ import annotations

from typing import Any

from brine_helper import current

try:
    import yaml as _yaml
except ImportError:
    _yaml = None


class YAMLError(Exception):
    """The text is not YAML."""


Loader: Any = None
if _yaml is not None:
    YAMLError = _yaml.YAMLError  # type: ignore[misc]

    class _Loader(_yaml.SafeLoader):  # type: ignore[misc]
        """Reads numbers with zeros before them as Salt does: they are not octal."""

        def construct_yaml_int(self, node: Any) -> Any:
            digits = node.value.lstrip("+-").replace("_", "")
            if digits.isdigit() and digits.startswith("0") and digits.strip("0"):
                return (-1 if node.value.startswith("-") else 1) * int(digits)
            return super().construct_yaml_int(node)

    _Loader.add_constructor("tag:yaml.org,2002:int", _Loader.construct_yaml_int)
    Loader = _Loader


def safe_load(stream: Any) -> Any:
    if _yaml is not None:
        return _yaml.load(stream, Loader=Loader)
    text = stream.read() if hasattr(stream, "read") else stream
    if isinstance(text, bytes):
        text = text.decode("utf-8")
    try:
        return current.host().functions("modules")["slsutil.deserialize"]("yaml", text)
    except Exception as error:
        raise YAMLError(str(error)) from error


def safe_dump(data: Any, stream: Any = None, **kwargs: Any) -> Any:
    if _yaml is not None:
        kwargs.setdefault("default_flow_style", None)
        text = _yaml.safe_dump(data, **kwargs)
    else:
        text = current.host().functions("modules")["slsutil.serialize"]("yaml", data)
    if stream is None:
        return text
    stream.write(text)
    return None


load = safe_load
dump = safe_dump
