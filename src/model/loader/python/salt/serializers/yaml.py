"""YAML."""

from typing import Any

import salt.utils.yaml

available = True


def serialize(obj: Any, **options: Any) -> str:
    return str(salt.utils.yaml.safe_dump(obj, **options))


def deserialize(stream_or_string: Any, **options: Any) -> Any:
    return salt.utils.yaml.safe_load(stream_or_string)
