"""States that do not end well"""

from salt.exceptions import CommandExecutionError


def says_no(name):
    return {"name": name, "changes": {}, "result": False, "comment": ["first", "second"]}


def raises(name):
    raise CommandExecutionError("could not")


def no_comment(name):
    return {"name": name, "changes": {}, "result": True}


def no_map(name):
    return ["not", "a", "map"]


def bad_changes(name):
    return {"name": name, "changes": "text", "result": True, "comment": ""}


def sets_code(name):
    __context__["retcode"] = 9
    return {"name": name, "changes": {}, "result": True, "comment": "code"}
