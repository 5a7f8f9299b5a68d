"""Runs one engine of real Salt as the master would; reads what it is to meet from standard input, prints what it does.

Only time is replaced for `stalekey`, and who is connected; for `redis_sentinel` only what a job on minions has answered.
Run by record_engines.ts.
"""
import json
import logging
import sys
import types

import salt.config
import salt.utils.msgpack


class Over(BaseException):
    """The last round is over."""


def say(**fields):
    print(json.dumps(fields), flush=True)


class Lines(logging.Handler):
    def __init__(self, name):
        super().__init__(logging.DEBUG)
        self.lines = []
        logger = logging.getLogger(name)
        logger.setLevel(logging.DEBUG)
        logger.addHandler(self)

    def emit(self, record):
        self.lines.append([record.levelname.lower(), record.getMessage()])


def stalekey(opts, case):
    import salt.engines.stalekey as engine

    engine.__opts__ = opts
    lines = Lines(engine.__name__)
    clock = {"now": case["begins"], "round": 0}
    keys = opts["pki_dir"] + "/minions/"
    rounds = case["rounds"]

    def begin(at):
        for name in at.get("accept", []):
            with open(keys + name, "w") as out:
                out.write(case["key"])

    def end():
        import os

        with open(opts["cachedir"] + "/presence.p", "rb") as kept:
            presence = salt.utils.msgpack.load(kept, raw=False)
        say(
            keys=sorted(os.listdir(keys)),
            presence=presence,
            log=[text for level, text in lines.lines if level != "debug"],
        )
        lines.lines.clear()

    def sleep(seconds):
        end()
        clock["now"] += seconds
        clock["round"] += 1
        if clock["round"] == len(rounds):
            raise Over
        begin(rounds[clock["round"]])

    engine.time = types.SimpleNamespace(time=lambda: clock["now"], sleep=sleep)
    engine.salt.utils.minions.CkMinions.connected_ids = lambda self: set(rounds[clock["round"]].get("connected", []))
    begin(rounds[0])
    engine.start(**case["settings"])


def test(opts, case):
    import salt.engines.test as engine

    engine.__opts__ = opts
    lines = Lines(engine.__name__)
    lines.emit = lambda record: say(level=record.levelname.lower(), line=record.getMessage())
    engine.start()


def redis_sentinel(opts, case):
    import salt.engines.redis_sentinel as engine

    engine.__opts__ = opts
    lines = Lines(engine.__name__)
    lines.emit = lambda record: say(level=record.levelname.lower(), line=record.getMessage())

    class Client:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def cmd(self, *asked):
            say(asked=asked)
            return case["answers"]

    engine.salt.client.LocalClient = Client
    engine.start(**case["settings"])


def main():
    case = json.loads(sys.stdin.readline())
    opts = salt.config.master_config(case["config"])
    try:
        {"stalekey": stalekey, "test": test, "redis_sentinel": redis_sentinel}[case["engine"]](opts, case)
        say(returned=True)
    except Over:
        say(over=True)
    except Exception as error:  # pylint: disable=broad-except
        say(failed=type(error).__name__, words=str(error))


main()
