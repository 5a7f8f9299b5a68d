#!/usr/bin/env python3
"""A custom module in Python: a program that speaks JSON. It needs nothing of Salt's."""
import json
import sys

DESCRIPTION = {
    "functions": {
        "count": {"signature": "text, unique=False", "doc": "How many words a text has.\n\n    salt '*' words.count 'a b a'"},
        "join": {"signature": "*args, **kwargs", "doc": "Joins words.\n\n    salt '*' words.join a b sep=-"},
    },
}


def count(call):
    words = call["arguments"]["text"].split()
    return len(set(words) if call["arguments"]["unique"] else words)


def join(call):
    if not call["args"]:
        raise ValueError("Which words?")
    return call["kwargs"].get("sep", " ").join(call["args"])


if sys.argv[1] == "describe":
    answer = DESCRIPTION
else:
    request = json.load(sys.stdin)
    try:
        answer = {"return": {"count": count, "join": join}[request["function"]](request)}
    except ValueError as error:
        answer = {"error": str(error), "kind": "SaltInvocationError"}
json.dump(answer, sys.stdout)
