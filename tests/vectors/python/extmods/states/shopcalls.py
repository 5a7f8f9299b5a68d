"""State functions that call others"""


def composed(name, **kwargs):
    inner = __states__["shopfile.present"](name=name, contents="composed\n")
    return {
        "name": name,
        "changes": inner["changes"],
        "result": inner["result"],
        "comment": "{} / {}".format(inner["comment"], __salt__["test.echo"]("called")),
    }


def own_state(name):
    ok = __states__["test.succeed_with_changes"](name=name)
    return {"name": name, "changes": ok["changes"], "result": ok["result"], "comment": ok["comment"]}
