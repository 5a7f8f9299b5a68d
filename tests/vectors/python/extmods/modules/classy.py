"""Modules that are written around classes"""

import dataclasses
import enum
import re
from pathlib import Path


class Size(enum.Enum):
    SMALL = 1
    LARGE = 2


@dataclasses.dataclass
class Box:
    name: str
    size: Size = Size.SMALL
    tags: list = dataclasses.field(default_factory=list)

    def label(self):
        return f"{self.name}/{self.size.name.lower()}/{','.join(self.tags)}"


class _Client:
    def __init__(self, salt_functions):
        self.functions = salt_functions

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False

    def ask(self, text):
        return self.functions["test.echo"](text)


def label(name, size="SMALL", tags=None):
    return Box(name, Size[size], list(tags or [])).label()


def asked(text):
    with _Client(__salt__) as client:
        return client.ask(text)


def walrus(text):
    match = re.match(r"(?P<key>\w+)-(?P<value>\w+)", text)
    return match.groupdict() if match else None


def suffix(path):
    return Path(path).suffix
