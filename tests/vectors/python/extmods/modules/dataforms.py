"""salt.utils.json, salt.utils.yaml and salt.serializers"""

import salt.serializers.json
import salt.serializers.yaml
import salt.utils.json
import salt.utils.yaml


def jsons():
    j = salt.utils.json
    return [
        j.loads('{"a": [1, 2.5, null, true, "ä"]}'),
        j.loads(b'{"a": "b"}'),
        j.dumps({"b": 1, "a": "ä"}, sort_keys=True),
        j.dumps({"a": [1]}, indent=2),
        j.find_json("noise\n{\"a\": 1}\nmore"),
        j.import_json().__name__,
    ]


def yamls():
    y = salt.utils.yaml
    return [
        y.safe_load("a: [1, yes, '3', 2.0]\nb: {c: null}"),
        y.safe_dump({"a": [1, "x"], "b": {"c": True}}, default_flow_style=False),
        y.dump({"a": 1}, default_flow_style=False),
        y.load("a: 0o17\nb: 017\n"),
    ]


def bad():
    try:
        salt.utils.yaml.safe_load("a: [")
        return "parsed"
    except salt.utils.yaml.YAMLError as exc:
        return "YAMLError"


def serializers():
    return [
        salt.serializers.json.deserialize('{"a": 1}'),
        salt.serializers.json.serialize({"a": 1}),
        salt.serializers.yaml.deserialize("a: 1"),
        salt.serializers.yaml.serialize({"a": 1}, default_flow_style=False),
    ]
