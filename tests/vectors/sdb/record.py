"""Records what Salt's module sdb and its drivers return: python record.py > calls.json, with the Python of Salt 3006."""

import json
import os
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import salt.config
import salt.loader
import salt.utils.yaml

FILES = {
    "a.yaml": "web:\n  password: one\n  ports: [80, 443]\nonly: a\n1: number\n",
    "b.yaml": "web:\n  password: two\n  user: w\nonly: b\nlist: [{k: v}]\n",
    "list.yaml": "- 1\n",
    "empty.yaml": "",
}
PROFILES = {
    "osenv": {"driver": "env"},
    "files": {"driver": "yaml", "files": ["<root>/a.yaml", "<root>/b.yaml"]},
    "overwritten": {
        "driver": "yaml",
        "files": ["<root>/a.yaml", "<root>/b.yaml"],
        "merge": {"strategy": "overwrite"},
    },
    "missing": {"driver": "yaml", "files": ["<root>/none.yaml", "<root>/a.yaml"]},
    "odd": {"driver": "yaml", "files": ["<root>/list.yaml", "<root>/a.yaml", "<root>/empty.yaml"]},
    "nofiles": {"driver": "yaml"},
    "lite": {"driver": "sqlite3", "database": "<root>/lite.db"},
    "named": {"driver": "sqlite3", "database": "<root>/lite.db", "table": 'odd "name'},
    "own": {
        "driver": "sqlite3",
        "database": "<root>/own.db",
        "create_statements": ["CREATE TABLE t (a text, d blob)", "CREATE UNIQUE INDEX i ON t (a)"],
        "get_query": "SELECT d FROM t WHERE a=:key AND ':key' != a",
        "set_query": "INSERT OR REPLACE INTO t (d, a) VALUES (:value, :key)",
    },
    "web": {
        "driver": "rest",
        "plain": {"url": "http://<server>/plain", "backend": "tornado"},
        "user": {"url": "http://<server>/users/{{ user }}/keys"},
        "query": {"url": "http://<server>/query", "params": {"a": "b"}, "header_dict": {"X-Key": "k"}},
        "gone": {"url": "http://<server>/gone"},
    },
    "nodriver": {"url": "x"},
    "unknown": {"driver": "nosuch"},
}
PILLAR = {"ofpillar": {"driver": "env"}, "files": {"driver": "env"}}
OPTIONS = {"plain.option": "sdb://osenv/BRINE_SDB_HERE", "nested.option": {"a": "sdb://osenv/BRINE_SDB_HERE"}}
CALLS = [
    *(["sdb.get", [uri]] for uri in [
        "x", "", None, 5, "sdb://", "sdb://osenv", "sdb://osenv/", "sdb://nosuch/key", "sdb://nodriver/key",
        "sdb://unknown/key", "sdb://osenv/BRINE_SDB_HERE", "sdb://osenv/BRINE_SDB_NONE", "SDB://osenv/BRINE_SDB_HERE",
        "sdb://ofpillar/BRINE_SDB_HERE", "sdb://files/web:password", "sdb://files/web", "sdb://files/only",
        "sdb://files/none", "sdb://files/1", "sdb://files/list:k", "sdb://files/web:ports:1", "sdb://overwritten/web",
        "sdb://missing/web:password", "sdb://odd/only", "sdb://nofiles/x",
        "sdb://web/user?user=me", "sdb://web/query?x=y", "sdb://web/plain?", "sdb://web/plain?a=b", "sdb://web/gone?a=b",
        "sdb://web/none?a=b", "sdb://lite/none", "sdb://lite/a/b",
    ]),
    *(["sdb.get", [uri, True]] for uri in [
        "x", "sdb://osenv", "sdb://osenv/", "sdb://nosuch/key", "sdb://nodriver/key", "sdb://osenv/BRINE_SDB_NONE",
    ]),
    ["sdb.set", ["x", "v"]],
    ["sdb.set", ["sdb://osenv", "v"]],
    ["sdb.set", ["sdb://nosuch/k", "v"]],
    ["sdb.set", ["sdb://osenv/BRINE_SDB_HERE", "other"]],
    ["sdb.set", ["sdb://osenv/BRINE_SDB_NEW", "new"]],
    ["sdb.get", ["sdb://osenv/BRINE_SDB_NEW"]],
    *([fun, [f"sdb://{profile}/{key}", *value]]
        for profile in ["lite", "named", "own"]
        for key, stored in [("a/b", "text"), ("n", 5), ("f", 1.5), ("m", {"a": [1, None, True], "b": {"c": "é"}}), ("n", None)]
        for fun, value in [("sdb.set", [stored]), ("sdb.get", [])]),
    ["sdb.set", ["sdb://web/user?user=me", "v"]],
    ["sdb.delete", ["x"]],
    ["sdb.delete", ["sdb://osenv"]],
    ["sdb.delete", ["sdb://nosuch/k"]],
    ["sdb.delete", ["sdb://osenv/BRINE_SDB_HERE"]],
    ["sdb.delete", ["sdb://lite/n"]],
    ["sdb.set", ["sdb://files/k", "v"]],
    ["sdb.get_or_set_hash", ["x"]],
    ["sdb.get_or_set_hash", ["sdb://lite/hash", 5, "a"]],
    ["sdb.get_or_set_hash", ["sdb://lite/hash", 9, "b"]],
    ["sdb.get_or_set_hash", ["sdb://lite/long", 0]],
    ["sdb.get", ["sdb://lite/long"]],
    ["config.get", ["plain.option"]],
    ["config.get", ["nested.option"]],
    ["config.get", ["nested.option:a"]],
    ["config.get", ["nosuch", "sdb://osenv/BRINE_SDB_HERE"]],
    ["config.get", ["a_grain"]],
    ["config.get", ["a_pillar"]],
    ["config.option", ["a_pillar"]],
]
CONFIG = """
osenv: {driver: env}
files: {driver: yaml, files: [<root>/a.yaml]}
lite: {driver: sqlite3, database: 'sdb://osenv/BRINE_SDB_DATABASE'}
plain: sdb://osenv/BRINE_SDB_HERE
missing: sdb://osenv/BRINE_SDB_NONE
unknown: sdb://nosuch/key
nested: {a: [1, 'sdb://osenv/BRINE_SDB_HERE', {b: 'sdb://files/web:ports', n: null}], 'sdb://osenv/BRINE_SDB_HERE': c}
inside: text sdb://osenv/BRINE_SDB_HERE
log_level: sdb://osenv/BRINE_SDB_LEVEL
retry_dns: sdb://files/web:ports:0
"""


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        gone = self.path == "/gone"
        self.send_response(404 if gone else 200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps({"path": self.path, "key": self.headers.get("X-Key")}).encode())

    def log_message(self, *args):
        pass


def placed(value, put):
    if isinstance(value, str):
        return put(value)
    if isinstance(value, list):
        return [placed(one, put) for one in value]
    return {key: placed(one, put) for key, one in value.items()} if isinstance(value, dict) else value


def main():
    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    root = tempfile.mkdtemp()
    address = "127.0.0.1:%d" % server.server_port
    for name, text in FILES.items():
        with open(os.path.join(root, name), "w") as file:
            file.write(text)
    os.environ["BRINE_SDB_HERE"] = "here"
    os.environ.pop("BRINE_SDB_NONE", None)
    put = lambda text: text.replace("<root>", root).replace("<server>", address)
    back = lambda text: text.replace(root, "<root>").replace(address, "<server>")
    opts = salt.config.minion_config(None)
    opts.update(placed(PROFILES, put), **OPTIONS, cachedir=root, file_client="local")
    opts["grains"] = {"id": "m", "a_grain": "sdb://osenv/BRINE_SDB_HERE"}
    opts["pillar"] = {**PILLAR, "a_pillar": "sdb://osenv/BRINE_SDB_HERE"}
    os.environ["BRINE_SDB_DATABASE"] = os.path.join(root, "lite.db")
    os.environ["BRINE_SDB_LEVEL"] = "error"
    path = os.path.join(root, "minion")
    with open(path, "w") as file:
        file.write(put(CONFIG))
    read = salt.config.minion_config(path, cache_minion_id=False, minion_id="m")
    resolved = {name: read[name] for name in salt.utils.yaml.safe_load(CONFIG)}
    functions = salt.loader.minion_mods(opts, utils=salt.loader.utils(opts))
    calls = []
    for fun, args in CALLS:
        try:
            result = {"return": placed(functions[fun](*args), back)}
        except Exception as error:
            result = {"error": type(error).__name__, "message": back(str(error))}
        calls.append({"fun": fun, "args": args, **result})
    recorded = {
        "generated_with": "Salt " + salt.version.__version__,
        "files": FILES,
        "opts": {**PROFILES, **OPTIONS},
        "pillar": opts["pillar"],
        "grains": opts["grains"],
        "calls": calls,
        "config": {"text": CONFIG, "options": placed(resolved, back)},
    }
    json.dump(recorded, sys.stdout, indent=1, ensure_ascii=False)
    print()


main()
