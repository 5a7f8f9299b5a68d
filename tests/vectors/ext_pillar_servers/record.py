"""Records what external pillars of real Salt make of what servers have.

    python record.py POSTGRES_PORT REDIS_PORT < cases.json > answers.json

With salt 3006, psycopg2-binary, redis and python-consul in that Python, and servers on 127.0.0.1: a PostgreSQL that trusts its user
`salt`, and an empty Redis. A Consul is played by this program.
"""
import base64, json, os, sys, threading, urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../interop"))
import psycopg2, redis, salt.config
from pillar_reference import compiled, placed

POSTGRES, REDIS = sys.argv[1:]


def consul(store):
    """A server that has the keys below a path, as Consul answers with ?recurse."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            url = urllib.parse.urlsplit(self.path)
            prefix = urllib.parse.unquote(url.path)[len("/v1/kv/"):]
            dc = urllib.parse.parse_qs(url.query).get("dc", [""])[0]
            keys = [(key, value) for key, value in sorted(store.items()) if key.startswith(prefix)]
            if dc:
                keys = [(prefix + "dc", dc)]
            rows = [{"Key": k, "Value": None if v is None else base64.b64encode(v.encode()).decode()} for k, v in keys]
            body = json.dumps(rows).encode() if rows else b""
            self.send_response(200 if rows else 404)
            self.send_header("X-Consul-Index", "1")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def answer(defaults, case):
    opts = dict(case.get("opts", {}))
    if "postgres" in case:
        connection = psycopg2.connect(host="127.0.0.1", port=POSTGRES, user="salt", dbname="postgres")
        with connection, connection.cursor() as cursor:
            cursor.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public; " + case["postgres"])
        connection.close()
        opts["postgres"] = {"host": "127.0.0.1", "port": int(POSTGRES), "user": "salt", "db": "postgres"}
    if "redis" in case:
        client = redis.Redis(port=int(REDIS))
        client.flushall()
        for words in case["redis"]:
            client.execute_command(*words)
        opts.update({"redis.host": "127.0.0.1", "redis.port": int(REDIS), "redis.db": 0})
    if "consul" not in case:
        return compiled(defaults, {**case, "files": {}, "opts": opts})
    server = consul(case["consul"])
    port = str(server.server_address[1])
    opts = json.loads(json.dumps(opts).replace("{PORT}", port))
    try:
        return compiled(defaults, {**case, "files": {}, "opts": opts})
    finally:
        server.shutdown()


def main():
    defaults = salt.config.master_config(None)
    given = json.load(sys.stdin)
    print("[\n" + ",\n".join(" " + json.dumps({**case, "pillar": answer(defaults, case)}) for case in given) + "\n]")


main()
