"""Rows with commas"""

import csv
import io

from salt.serializers import DeserializationError, SerializationError

__all__ = ["deserialize", "serialize", "available"]

available = True


def deserialize(stream_or_string, **options):
    try:
        if not isinstance(stream_or_string, (bytes, str)):
            stream_or_string = stream_or_string.read()
        if isinstance(stream_or_string, bytes):
            stream_or_string = stream_or_string.decode("utf-8")
        return [row for row in csv.reader(io.StringIO(stream_or_string), **options)]
    except Exception as error:
        raise DeserializationError(error)


def serialize(obj, **options):
    try:
        handle = io.StringIO()
        csv.writer(handle, lineterminator="\n", **options).writerows(obj)
        return handle.getvalue()
    except Exception as error:
        raise SerializationError(error)
