#!json
{"check-json": {"test.nop": [{"a": 1.0, "b": [true, null]}]}, "check-json-short": "test.nop"}
