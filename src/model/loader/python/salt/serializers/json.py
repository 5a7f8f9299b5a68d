"""JSON."""

from typing import Any

import salt.utils.json

available = True


def serialize(obj: Any, **options: Any) -> str:
    return salt.utils.json.dumps(obj, **options)


def deserialize(stream_or_string: Any, **options: Any) -> Any:
    if hasattr(stream_or_string, "read"):
        stream_or_string = stream_or_string.read()
    return salt.utils.json.loads(stream_or_string, **options)
