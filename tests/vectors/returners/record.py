"""Records what returners of real Salt 3006 send of returns.

    python record.py > answers.json      (with salt 3006 in that Python; cases.json is beside it)
"""
import contextlib, datetime, io, json, os, types, urllib.parse
import salt.returners.elasticsearch_return as elastic
import salt.returners.local as local
import salt.returners.slack_webhook_return as slack
import salt.returners.splunk as splunk

HERE = os.path.dirname(os.path.abspath(__file__))
GRAINS = {"id": "web1", "os": "Debian", "localhost": "web1.example"}


def sent_to_slack(ret, opts):
    sent = {}

    def query(url, method, data):
        sent.update(url=url, payload=json.loads(urllib.parse.parse_qs(data)["payload"][0]))
        return {"body": "ok", "status": 200}

    slack.__opts__, slack.__salt__, slack.__grains__ = opts, {}, GRAINS
    slack.salt = types.SimpleNamespace(
        utils=types.SimpleNamespace(http=types.SimpleNamespace(query=query), yaml=slack.salt.utils.yaml),
        returners=slack.salt.returners,
    )
    try:
        slack.returner(ret)
    except TypeError:
        # Of a map of numbers it cannot tell whether that is of states.
        return None
    return sent


def sent_to_splunk(ret, opts):
    sent = {}

    def post(url, data, headers, verify, timeout):
        sent.update(url=url, text=data, authorization=headers["Authorization"])

    def get(key, default=None):
        return opts.get("splunk_http_forwarder", {}).get(key.split(":")[1], default)

    splunk.__salt__ = {"config.get": get}
    splunk.requests = types.SimpleNamespace(post=post)
    splunk.time = types.SimpleNamespace(time=lambda: 1714979289.5)
    splunk.socket = types.SimpleNamespace(gethostname=lambda: "HOST")
    splunk.returner(ret)
    return sent


def stored(ret, opts):
    calls = []

    def noting(name, answer):
        def call(*args, **kwargs):
            calls.append([name, *args, *([json.loads(kwargs["body"])] if "body" in kwargs else []), kwargs.get("index")])
            return answer
        return f"elasticsearch.{name}", call

    class Now(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return cls.fromtimestamp(1714979289.5, tz)

    class Today(datetime.date):
        @classmethod
        def today(cls):
            return cls(2024, 5, 6)

    elastic.datetime = types.SimpleNamespace(datetime=Now, date=Today)
    elastic.__opts__ = opts
    elastic.__salt__ = dict([noting("index_exists", False), noting("index_create", True), noting("alias_create", True), noting("document_create", {})])
    elastic.returner(ret)
    return calls


def printed(ret, opts):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        local.returner(ret)
    return out.getvalue()


KINDS = {"slack_webhook": sent_to_slack, "splunk": sent_to_splunk, "local": printed, "elasticsearch": stored}
cases = json.load(open(os.path.join(HERE, "cases.json")))
print("[\n" + ",\n".join(
    " " + json.dumps({**case, "sent": {kind: work(json.loads(json.dumps(case["ret"])), case["opts"]) for kind, work in KINDS.items() if kind != "elasticsearch" or isinstance(case["ret"]["fun"], str)}})
    for case in cases
) + "\n]")
