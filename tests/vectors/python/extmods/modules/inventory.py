"""Calls of other execution modules"""


def __virtual__():
    return "inventory"


def echoes(text):
    ret = {"echo": __salt__["test.echo"](text)}
    if "no_such.module" in __salt__:
        ret["wrong"] = __salt__["no_such.module"]()
    if "test.arg" in __salt__:
        ret["arg"] = __salt__["test.arg"](1, "two", three=[3], four={"five": None})["kwargs"]["four"]
    if "hostfacts.summary" in __salt__:
        ret["facts"] = __salt__["hostfacts.summary"]()["role"]
    ret["get"] = __salt__.get("no_such.module") is None
    ret["default"] = __salt__.get("no_such.module", lambda: "fallback")()
    return ret


def command():
    done = __salt__["cmd.run_all"]("echo out; echo err >&2; exit 3", python_shell=True, ignore_retcode=True)
    return {name: done[name] for name in ("stdout", "stderr", "retcode")}


def lines(path_content):
    out = __salt__["cmd.run_stdout"](["printf", "%s", path_content], python_shell=False)
    return out.splitlines()


def by_attribute():
    return [__salt__.test.echo("attribute"), __salt__.pillar.get("role")]


def mapped(function, *args, **kwargs):
    return list(map(__salt__[function], args))


def missing():
    return __salt__["no_such.function"]()


def config():
    return {
        "get": __salt__["config.get"]("shop_color"),
        "default": __salt__["config.get"]("no:such:thing", "d"),
        "option": __salt__["config.option"]("shop_color"),
        "pillar": __salt__["pillar.get"]("tree:branch:leaf"),
        "grains": __salt__["grains.get"]("shop:rack"),
        "filter": __salt__["grains.filter_by"]({"Debian": {"pkg": "a"}, "default": {"pkg": "z"}}, grain="os", default="default"),
        "merge": __salt__["slsutil.merge"]({"a": [1]}, {"a": [2], "b": 3}),
    }
