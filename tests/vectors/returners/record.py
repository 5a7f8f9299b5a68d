"""Records what returners of real Salt 3006 send of returns.

    python record.py > answers.json      (with salt 3006 in that Python; cases.json is beside it)
"""
import contextlib, io, json, os, types, urllib.parse
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


def printed(ret, opts):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        local.returner(ret)
    return out.getvalue()


KINDS = {"slack_webhook": sent_to_slack, "splunk": sent_to_splunk, "local": printed}
cases = json.load(open(os.path.join(HERE, "cases.json")))
print("[\n" + ",\n".join(
    " " + json.dumps({**case, "sent": {kind: work(json.loads(json.dumps(case["ret"])), case["opts"]) for kind, work in KINDS.items()}})
    for case in cases
) + "\n]")
