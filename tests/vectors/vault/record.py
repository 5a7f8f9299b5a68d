"""What real Salt's functions of Vault ask a server, and what they return.

    python record.py > calls.json     (with Salt 3006 in that Python)

The server is a stand-in with the answers below: what Vault 1.x returns for a store of version 1 at secret1/ and one of version 2 at secret/.
"""
import base64, http.server, json, logging, os, shutil, sys, tempfile, threading
import salt.config, salt.crypt, salt.loader

logging.disable(logging.CRITICAL)

V1 = {"data": {"type": "kv", "path": "secret1/", "options": {"version": "1"}}}
V2 = {"data": {"type": "kv", "path": "secret/", "options": {"version": "2"}}}
OLD = {"data": {"type": "kv", "path": "old/", "options": None}}
META = {"version": 3, "created_time": "2024-01-01T00:00:00Z", "destroyed": False}
WEB = {"user": "web", "password": "pä ss", "port": 80, "none": None}
DENIED = {"errors": ["permission denied"]}
AUTH = {"auth": {"client_token": "s.new", "lease_duration": 3600, "renewable": True, "policies": ["a"]}}
ANSWERS = {
    **{f"GET /v1/sys/internal/ui/mounts/secret1/{p}": [200, V1] for p in ("web", "nope", "a%20b", "denied", "web/x", "")},
    **{f"GET /v1/sys/internal/ui/mounts/secret/{p}": [200, V2] for p in ("web", "nope", "gone", "denied", "db", "")},
    "GET /v1/sys/internal/ui/mounts/secret1": [200, V1],
    "GET /v1/sys/internal/ui/mounts/secret": [200, V2],
    "GET /v1/sys/internal/ui/mounts/old/web": [200, OLD],
    "GET /v1/sys/internal/ui/mounts/unknown/web": [403, {"errors": ["preflight capability check returned 403"]}],
    "GET /v1/secret1/web": [200, {"data": WEB}],
    "GET /v1/secret1/a%20b": [200, {"data": {"x": 1}}],
    "GET /v1/old/web": [200, {"data": {"x": "old"}}],
    "GET /v1/unknown/web": [403, {"errors": ["1 error occurred"]}],
    "GET /v1/secret1/nope": [404, {"errors": []}],
    "GET /v1/secret1/denied": [403, DENIED],
    "GET /v1/secret/data/web": [200, {"data": {"data": WEB, "metadata": META}}],
    "GET /v1/secret/data/db": [200, {"data": {"data": {"password": "db"}, "metadata": META}}],
    "GET /v1/secret/data/nope": [404, {"errors": []}],
    "GET /v1/secret/data/nope/key": [404, {"errors": []}],
    "GET /v1/secret/data/gone": [404, {"data": {"data": None, "metadata": META}}],
    "GET /v1/secret/data/gone/key": [200, {"data": {"data": {"other": 1}, "metadata": META}}],
    "GET /v1/secret/data/denied": [403, DENIED],
    "POST /v1/secret1/web": [204, None],
    "POST /v1/secret1/denied": [403, DENIED],
    "POST /v1/secret/data/web": [200, {"data": META}],
    "DELETE /v1/secret1/web": [204, None],
    "DELETE /v1/secret/data/web": [204, None],
    "DELETE /v1/secret1/nope": [404, {"errors": []}],
    "POST /v1/secret/destroy/web": [204, None],
    "LIST /v1/secret1": [200, {"data": {"keys": ["web", "dir/"]}}],
    "LIST /v1/secret1/": [200, {"data": {"keys": ["web", "dir/"]}}],
    "LIST /v1/secret/metadata": [200, {"data": {"keys": ["web"]}}],
    "LIST /v1/secret1/nope": [404, {"errors": []}],
    "POST /v1/auth/approle/login": [200, AUTH],
    "GET /v1/auth/token/lookup-self": [200, {"data": {}}],
    "POST /v1/sys/wrapping/lookup": [200, {"data": {}}],
    "POST /v1/sys/wrapping/unwrap": [200, AUTH],
    "POST /v1/auth/token/create": [200, AUTH],
    "POST /v1/auth/token/create/salt-role": [200, AUTH],
    "GET /v1/sys/policy/there": [200, {"name": "there", "rules": 'path "a" {\n  x\n}\n'}],
    "GET /v1/sys/policy/new": [404, {"errors": []}],
    "GET /v1/sys/policy/broken": [500, {"errors": ["internal error"]}],
    "PUT /v1/sys/policy/there": [204, None],
    "PUT /v1/sys/policy/new": [204, None],
}
seen = []


class Vault(http.server.BaseHTTPRequestHandler):
    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        one = {"method": self.command, "path": self.path, "token": self.headers.get("X-Vault-Token")}
        if self.headers.get("X-Vault-Namespace"):
            one["namespace"] = self.headers["X-Vault-Namespace"]
        if body:
            one["body"] = json.loads(body)
        seen.append(one)
        status, value = ANSWERS.get(f"{self.command} {self.path}", [404, {"errors": []}])
        data = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = do_DELETE = do_LIST = answer

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Vault)
threading.Thread(target=server.serve_forever, daemon=True).start()
origin = f"http://127.0.0.1:{server.server_port}"
work = tempfile.mkdtemp()
pki = work + "/pki"
os.makedirs(pki + "/minions")
TOKEN = {"url": origin, "auth": {"method": "token", "token": "s.own"}}
APPROLE = {"url": origin, "namespace": "ns1", "auth": {"method": "approle", "role_id": "r", "secret_id": "s"}}
KNOWN = {"url": origin, "auth": {"method": "approle", "role_id": "r", "token": "s.old"}}
WRAPPED = {"url": origin, "auth": {"method": "wrapped_token", "token": "s.wrap"}}


def options(vault, **more):
    opts = salt.config.minion_config(None)
    opts.update(id="web1", file_client="local", cachedir=work, root_dir=work, pki_dir=pki, vault=json.loads(json.dumps(vault)),
                grains={"id": "web1", "roles": ["web", "DB"], "os": "Debian"}, pillar={}, **more)
    return opts


def recorded(kind, vault, run, **call):
    seen.clear()
    if os.path.exists(work + "/salt_vault_token"):
        os.remove(work + "/salt_vault_token")
    one = {"kind": kind, "vault": {**vault, "url": "ORIGIN"}, **call}
    try:
        one["return"] = run()
    except Exception as error:
        one["error"] = f"{type(error).__name__}: {error}".replace(origin, "ORIGIN")
    one["seen"] = list(seen)
    return one


out = []


def module(fun, *args, vault=TOKEN, **kwargs):
    opts = options(vault)
    functions = salt.loader.minion_mods(opts, utils=salt.loader.utils(opts))
    out.append(recorded("module", vault, lambda: functions[f"vault.{fun}"](*args, **kwargs), fun=fun, args=args, kwargs=kwargs))


for path in ("secret1/web", "secret/web", "old/web", "secret1/a b", "secret1/nope", "secret/nope", "secret/gone", "unknown/web",
             "secret1/denied", "secret/denied"):
    module("read_secret", path)
module("read_secret", "secret1/web", "user")
module("read_secret", "secret/web", "password")
module("read_secret", "secret/web", "nokey")
module("read_secret", "secret1/web", "nokey", default="d")
module("read_secret", "secret/web", metadata=True)
module("read_secret", "secret1/nope", default=None)
module("write_secret", "secret1/web", user="a", n=1)
module("write_secret", "secret/web", user="a")
module("write_secret", "secret1/denied", user="a")
module("write_raw", "secret1/web", {"a": [1, None]})
module("write_raw", "secret/web", {"a": {"b": "ä"}})
module("delete_secret", "secret1/web")
module("delete_secret", "secret/web")
module("delete_secret", "secret1/nope")
module("destroy_secret", "secret/web", 1, 2)
module("destroy_secret", "secret1/web", 1)
module("list_secrets", "secret1")
module("list_secrets", "secret1/")
module("list_secrets", "secret")
module("list_secrets", "secret1/nope")
module("list_secrets", "secret1/nope", default=[])
for vault in (APPROLE, KNOWN, WRAPPED, {"url": origin, "auth": {"method": "approle"}}, {"url": origin, "auth": {"method": "token"}}):
    module("read_secret", "secret1/web", "user", vault=vault)


def sdb(fun, *args):
    opts = options(TOKEN)
    functions = salt.loader.sdb(opts, {}, utils=salt.loader.utils(opts))
    out.append(recorded("sdb", TOKEN, lambda: functions[f"vault.{fun}"](*args), fun=fun, args=args))


for key in ("secret1/web/user", "secret1/web?user", "secret/web?password", "secret/web?nokey", "secret1/web?nokey", "secret1/nope?x",
            "secret/nope?key", "secret/gone?key", "secret/db/password", "secret1/denied?x", "secret1/web?none"):
    sdb("get", key)
sdb("set", "secret1/web?x", "new")
sdb("set", "secret/web?x", "new")
sdb("set", "secret1/denied?x", "new")


def state(name, rules, test):
    opts = options(TOKEN, test=test)
    utils = salt.loader.utils(opts)
    functions = salt.loader.states(opts, salt.loader.minion_mods(opts, utils=utils), utils, None)
    out.append(recorded("state", TOKEN, lambda: functions["vault.policy_present"](name, rules), args=[name, rules], test=test))


for test in (False, True):
    state("there", 'path "a" {\n  x\n}\n', test)
    state("there", 'path "a" {\n  y\n}\n', test)
    state("new", "x", test)
    state("broken", "x", test)

salt.crypt.gen_keys(pki, "minion", 2048)
shutil.copy(pki + "/minion.pub", pki + "/minions/web1")


def token(vault, **kwargs):
    import salt.cache
    opts = salt.config.master_config(None)
    opts.update(cachedir=work, root_dir=work, pki_dir=pki, vault=json.loads(json.dumps(vault)), id="m_master")
    cache = salt.cache.factory(opts)
    cache.store("minions/web1", "data", {"grains": {"id": "web1", "roles": ["web", "DB"], "os": "Debian"}, "pillar": {"role": "p"}})
    runners = salt.loader.runner(opts, utils=salt.loader.utils(opts))
    signature = base64.b64encode(salt.crypt.sign_message(pki + "/minion.pem", "web1")).decode()

    def run():
        cache.flush("minions/web1/vault")
        got = runners["vault.generate_token"]("web1", signature, **kwargs)
        got.pop("issued", None)
        return {key: value.replace(origin, "ORIGIN") if isinstance(value, str) else value for key, value in got.items()}

    one = recorded("token", vault, run, kwargs=kwargs)
    for request in one["seen"]:
        if "meta" in request.get("body", {}):
            request["body"]["meta"].pop("saltstack-jid")
    out.append(one)


def master(**more):
    auth = {"method": "token", "token": "s.own", **more.pop("auth", {})}
    return {"url": origin, "auth": auth, **more}


token(master())
token(master(policies=["r/{grains[roles]}", "p/{pillar[role]}", "m/{minion}", "x/{grains[nope]}", "os/{grains[os]}"]))
token(master(policies=["x/{grains[nope]}"]))
token(master(role_name="salt-role", namespace="ns1"))
token(master(auth={"uses": 5, "ttl": 60, "token_backend": "disk"}))
token(master(auth={"uses": 5, "ttl": 60}), ttl="2h", uses=7)
token(master(auth={"uses": 5, "ttl": 60, "allow_minion_override": True}), ttl="2h", uses=7)
token(master(auth={"uses": 0}))
token(master(role_name="nosuch"))
token({"url": origin, "auth": {"method": "approle", "role_id": "r"}})

# The external pillar with the token of a host that asks Vault itself.
def pillar(conf, before, **kwargs):
    opts = options(TOKEN)
    utils = salt.loader.utils(opts)
    functions = salt.loader.minion_mods(opts, utils=utils)
    pillars = salt.loader.pillars(opts, functions)
    out.append(recorded("pillar", TOKEN, lambda: pillars["vault"]("web1", before, conf, **kwargs), args=[conf], before=before, kwargs=kwargs))


pillar("path=secret1/web", {})
pillar("vault path=secret/{pillar[role]}", {"role": "db"})
pillar("path=secret/{pillar[roles]}", {"roles": ["web", "db"]})
pillar("path=secret/{pillar[nope]}", {})
pillar("path=secret1/nope", {})
pillar("path=secret1/{minion}", {})
pillar("path=secret1/web", {}, nesting_key="v")
pillar("nothing", {})

server.shutdown()
shutil.rmtree(work)
print(json.dumps({"answers": ANSWERS, "calls": out}, ensure_ascii=True, indent=1).replace(origin, "ORIGIN"))
