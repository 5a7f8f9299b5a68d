"""YAML."""

from typing import Any

import salt.utils.yaml

available = True


def serialize(obj: Any, **options: Any) -> str:
    text = str(salt.utils.yaml.safe_dump(obj, **options))
    if text.endswith("\n...\n"):
        return text[:-5]
    return text[:-1] if text.endswith("\n") else text


def deserialize(stream_or_string: Any, **options: Any) -> Any:
    return salt.utils.yaml.safe_load(stream_or_string)
