"""Words between bars"""

from salt.serializers import DeserializationError, SerializationError

available = True


def deserialize(stream_or_string, **options):
    if not isinstance(stream_or_string, (bytes, str)):
        stream_or_string = stream_or_string.read()
    if "|" not in stream_or_string:
        raise DeserializationError("no bars")
    return stream_or_string.strip("|\n").split("|")


def serialize(obj, **options):
    if not isinstance(obj, (list, dict)):
        raise SerializationError("a list is wanted")
    return "|{}|".format("|".join(str(item) for item in obj))
