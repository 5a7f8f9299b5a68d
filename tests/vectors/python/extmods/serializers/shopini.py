# -*- coding: utf-8 -*-
"""
Sections with values
"""
import io

from salt.serializers import DeserializationError, SerializationError

__all__ = ["deserialize", "serialize", "available"]

available = True


def deserialize(stream_or_string, **options):
    if isinstance(stream_or_string, bytes):
        stream_or_string = stream_or_string.decode("utf-8")
    found, section = {}, None
    for number, line in enumerate(stream_or_string.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("[") and line.endswith("]"):
            section = found.setdefault(line[1:-1], {})
        elif section is None or "=" not in line:
            raise DeserializationError("line {}".format(number))
        else:
            key, _, value = line.partition("=")
            section[key.strip()] = value.strip()
    return found


def serialize(obj, **options):
    out = io.StringIO()
    try:
        for name, section in sorted(obj.items()):
            out.write("[{}]\n".format(name))
            for key, value in sorted(section.items()):
                out.write("{} = {}\n".format(key, value))
    except AttributeError as error:
        raise SerializationError(error)
    return out.getvalue()
