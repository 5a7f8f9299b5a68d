"""Commands by salt.modules.cmdmod, as modules do that have no __salt__ yet"""

import salt.modules.cmdmod
import salt.utils.path

__salt__ = {
    "cmd.run": salt.modules.cmdmod._run_quiet,
    "cmd.run_all": salt.modules.cmdmod._run_all_quiet,
}

_AT_LOAD = salt.modules.cmdmod._run_quiet("echo at load")


def __virtual__():
    if not salt.utils.path.which("sh"):
        return False, "there is no shell"
    return True


def early():
    return _AT_LOAD


def late():
    return [
        __salt__["cmd.run"]("echo one"),
        __salt__["cmd.run_all"](["sh", "-c", "exit 4"])["retcode"],
        salt.modules.cmdmod._run_quiet("printf 'a\\nb\\n'"),
        salt.modules.cmdmod._run_all_quiet(["sh", "-c", "echo err >&2; exit 2"])["stderr"],
    ]
