"""Records what Python's package toml 0.10.2 writes, and what it reads: python record.py > toml.json."""

import json
import sys

import toml

WRITE = [
    {},
    {"a": 1, "b": 1.5, "c": True, "d": "text", "e": [1, 2], "f": [], "g": None, "h": {}, "i": {"j": {"k": 1}}},
    {"title": "x", "owner": {"name": "Tom", "age": 5}, "database": {"ports": [8001, 8002], "deep": {"a": {"b": 1}, "c": 2}}},
    {"products": [{"name": "Hammer", "sku": 738594937}, {}, {"name": "Nail", "colors": {"a": 1, "b": {"c": 2}}}]},
    {"fruit": [{"name": "apple", "variety": [{"name": "red"}, {"name": "green"}]}, {"variety": [{"name": "plantain"}]}]},
    {"x": {"fruit": [{"a": {"b": {"c": 1}}, "d": 2}]}, "y": 1},
    {"a b": {"c.d": 1, "é": 2, "": 3, 'q"': 4}, "a-b_1": {"1": 2}},
    {"big": 12345678901234567890, "neg": -5, "floats": [1.0, 1e22, 1e-7, 1e100, -0.0, float("inf")]},
    {"s": ["tab\t", "new\nline", 'dq"', "sq'", "both'\"", "back\\slash", "é", "\u2028", "\U0001f600", "\\x41", "c:\\xyz"]},
    {"s": "a\x01b"}, {"s": "\x01"}, {"s": "\x7f and \x1b["}, {"s": "\\\x01"}, {"s": "\\\\\x01"}, {"s": "a\\\x01\x02"}, {"s": "\\x"},
    {"s": "a\x01\x02"}, {"s": "\x01\x02"}, {"s": "a\\b\\x41\x01"}, {"s": "\\\\x"},
    {"n": [[1, 2], ["a", [True]]], "m": [[{"a": 1}]], "none": [None, 1]},
    {"mixed": [{"a": 1}, 2]},
    {"a": {"b": {}}, "c": {"d": {"e": {}}}},
    {"p": [{"q": [{"r": 1}]}], "z": {"p": [{}]}},
]
READ = [
    "", "a = 1\n", "[a.b]\nc = 'x'\n[[d]]\ne = 1\n[[d]]\n", "n = 9007199254740993\nf = 1.0\ng = 1e3\nh = 0x1F\ni = 1_000\n",
    "s = \"\"\"\na\\\n  b\"\"\"\nl = [1, [2, 'x']]\nt = {a = 1, b.c = 2}\n", "a = 1\na = 2\n", "a =\n", "[a\n", "x = [1,\n",
    "b = true\nu = \"\\u00e9\"\n'quoted key' = 1\n", "inf = inf\n",
]


def main():
    written = []
    for value in WRITE:
        try:
            written.append({"value": value, "text": toml.dumps(value)})
        except Exception as error:
            written.append({"value": value, "error": str(error)})
    read = []
    for text in READ:
        try:
            read.append({"text": text, "value": toml.loads(text)})
        except Exception:
            read.append({"text": text, "error": True})
    json.dump({"generated_with": "toml " + toml.__version__, "written": written, "read": read}, sys.stdout, indent=1)
    print()


main()
