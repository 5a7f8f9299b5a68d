"""Records what the event returns of a real Salt do: which events are stored, in which batches, and the lines of rawfile_json.

Run: <venv of Salt>/bin/python tests/vectors/event_return/record.py > tests/vectors/event_return/salt.json
"""
import json
import os
import sys
import tempfile

import salt.config
import salt.loader
import salt.utils.event
import salt.utils.msgpack
import salt.version
from salt.utils.event import EventReturn


class Bare(EventReturn):
    """The process's own logic without a process."""

    def __init__(self, **opts):
        self.opts = {
            "event_return": "store",
            "event_return_queue": 0,
            "event_return_queue_max_seconds": 0,
            "event_return_whitelist": [],
            "event_return_blacklist": [],
            "event_return_niceness": None,
            **opts,
        }
        self.event_return_queue = self.opts["event_return_queue"]
        self.event_return_queue_max_seconds = self.opts["event_return_queue_max_seconds"]
        self.event_queue = []
        self.stop = False
        self._warned_returners = {}
        self.calls = []
        names = self.opts["event_return"]
        names = names if isinstance(names, list) else [names]

        class Minion:
            returners = {}

        for name in names:
            if name != "absent":
                Minion.returners[f"{name}.event_return"] = lambda events, name=name: self.take(name, events)
        self.minion = Minion()

    def take(self, name, events):
        self.calls.append([name, [event["tag"] for event in events]])
        if name == "broken":
            raise ValueError("no store")


class Bus:
    def __init__(self, tags):
        self.tags = tags

    def iter_events(self, full=False):
        for tag in self.tags:
            yield {"tag": tag, "data": {}}

    def fire_event(self, data, tag):
        pass


def filtered(tags, whitelist, blacklist):
    bare = Bare(event_return_whitelist=whitelist, event_return_blacklist=blacklist)
    return {"whitelist": whitelist, "blacklist": blacklist, "tags": tags,
            "stored": [tag for tag in tags if bare._filter({"tag": tag})]}


def batched(tags, **opts):
    bare = Bare(**opts)
    salt.utils.event.get_event = lambda *args, **kwargs: Bus(tags)
    EventReturn.run(bare)
    return {"opts": opts, "tags": tags, "calls": bare.calls}


TAGS = ["salt/auth", "salt/job/20260101000000000000/ret/web1", "salt/key", "minion_start", "my/Tag", "my/tag", "a[b]", "20260101000000000000"]
FILTERS = [
    ([], []),
    (["salt/*"], []),
    ([], ["salt/*"]),
    (["salt/*"], ["salt/job/*"]),
    (["*"], ["*"]),
    (["salt/job/*/ret/*", "my/?ag"], []),
    (["my/[T]ag"], []),
    (["my/[!T]ag"], []),
    (["salt/(auth|key)"], []),
    (["salt"], []),
    (["a[b]"], []),
    (["a[[]b]"], []),
    (["MY/TAG"], []),
    (["2026*"], []),
]
BATCHES = [
    (list("abc"), {}),
    (list("abcde"), {"event_return_queue": 2}),
    (list("abc"), {"event_return_queue": 10}),
    (list("ab"), {"event_return": ["one", "two"]}),
    (list("ab"), {"event_return": ["broken", "two"]}),
    (list("ab"), {"event_return": ["absent", "two"]}),
    (["a", "salt/event/exit", "b"], {"event_return_queue": 10}),
    (["a", "x", "b", "x"], {"event_return_queue": 2, "event_return_blacklist": ["x"]}),
]
EVENTS = [
    {"a": 1, "b": 1.0, "c": [None, True, "x"], "_stamp": "2026-01-02T03:04:05.678901"},
    {"text": "a\u00e4\u2028\u4e2d \"quoted\" \\ / \t\n\x00\x7f", "empty": {}, "none": []},
    {"nested": {"k": {"1": 2 ** 63}}, "float": 1e300, "small": 1e-7},
]


def raw_lines():
    """Events as the bus gives them, written by rawfile_json."""
    with tempfile.TemporaryDirectory() as folder:
        opts = salt.config.DEFAULT_MASTER_OPTS.copy()
        opts.update({"rawfile_json.filename": os.path.join(folder, "events"), "cachedir": folder, "grains": {},
                     "extension_modules": folder, "root_dir": folder, "file_client": "local", "id": "m"})
        returners = salt.loader.returners(opts, {})
        packed = [{"data": salt.utils.msgpack.unpackb(salt.utils.msgpack.packb(data, use_bin_type=True), raw=False), "tag": f"t/{n}"}
                  for n, data in enumerate(EVENTS)]
        returners["rawfile_json.event_return"](packed)
        with open(os.path.join(folder, "events"), encoding="utf-8") as file:
            return {"events": EVENTS, "text": file.read()}


json.dump({
    "salt": salt.version.__version__,
    "filters": [filtered(TAGS, white, black) for white, black in FILTERS],
    "batches": [batched(tags, **opts) for tags, opts in BATCHES],
    "rawfile_json": raw_lines(),
}, sys.stdout, indent=1, ensure_ascii=True)
print()
