"""Records what Python's configparser, behind Salt's serializer, reads and writes.

Run: <venv of Salt>/bin/python tests/vectors/configparser/record.py > tests/vectors/configparser.json
"""

import itertools
import json
import sys

from salt.serializers import configparser

TEXTS = [
    "[a]\nk=%(x)s\n",
    "[DEFAULT]\nroot=/srv\n[s]\na=1\nB : 2\n  cont\n;c\np=%(root)s/x%%\n[t]\n",
    "[a]\nk = 1 ; no comment\n# c\nz\n\n  more\nend = !x\n",
    "[a]\nk=1\nk=2\n",
    "[a]\nk=1\n[a]\nj=2\n",
    "[a]\nk=%(a)s\na=%(b)s\nb=%(k)s\n",
    "[a]\nk=100%\n",
    "[a]\nk=%(x\n",
    "k=1\n",
    "[a]\nk=1\n\n\n   2\n\nj=3\n",
    "[a] trailing\n k=1\n   j\n=x\n",
    "[a]\nkey\n  more\n",
    "[a]\nk:1=2\nj=3:4\n",
    "[common]\nx=1\n[b]\ny=%(x)s\n",
    "[]\n[a]\n",
    "",
]
OPTIONS = [
    {},
    {"defaults": {"X": "baz"}},
    {"defaults": {"x": 7, "y": "%(x)s"}},
    {"allow_no_value": True},
    {"delimiters": [":"]},
    {"delimiters": ["=", "=>"]},
    {"comment_prefixes": "!"},
    {"comment_prefixes": ["!", "//"]},
    {"inline_comment_prefixes": [";", "!"]},
    {"strict": False},
    {"empty_lines_in_values": False},
    {"default_section": "common"},
    {"interpolation": None},
    {"bogus": 1},
]
VALUES = [
    {"s": {"A b": "1", "ml": "a\nb"}},
    {"DEFAULT": {"x": 1}, "s": {"y": True, "z": 1.5}},
    {"s": {"a": None}},
    {"s": {"a": "100%"}},
    {"s": {"a": "%%%(b)s%"}},
    {"common": {"a": "1"}},
    {"s": {}},
    {"s": ["a"]},
    ["s"],
]


def tried(call):
    try:
        return {"value": call()}
    except Exception as error:  # pylint: disable=broad-except
        return {"error": str(error)}


def main():
    rows = [
        {"text": text, "options": options, **tried(lambda: configparser.deserialize(text, **options))}
        for text, options in itertools.product(TEXTS, OPTIONS)
    ]
    written = [
        {"data": value, "options": options, **tried(lambda: configparser.serialize(value, **options))}
        for value, options in itertools.product(VALUES, OPTIONS)
    ]
    json.dump({"read": rows, "written": written}, sys.stdout, indent=1)
    print()


main()
