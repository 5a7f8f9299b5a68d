"""Commands. What runs before there is a ``__salt__``, such as grains, runs them in this process."""

from __future__ import annotations

import os
import shlex
import subprocess
from typing import Any, Callable, Dict, Optional

from brine_helper import current
from salt.exceptions import CommandExecutionError, TimedProcTimeoutError

DEFAULT_SHELL = "/bin/sh"


def _run(
    cmd: Any,
    cwd: Optional[str] = None,
    stdin: Any = None,
    runas: Optional[str] = None,
    shell: str = DEFAULT_SHELL,
    python_shell: bool = False,
    env: Any = None,
    umask: Any = None,
    timeout: Any = None,
    **kwargs: Any,
) -> Dict[str, Any]:
    directory = os.path.expanduser("~" if cwd is None else cwd)
    words = cmd if python_shell or not isinstance(cmd, str) else shlex.split(cmd)
    if not python_shell:
        words = [str(word) for word in words]
    more = dict(one for item in env for one in item.items()) if isinstance(env, list) else dict(env or {})
    settings: Dict[str, Any] = {"user": runas} if runas else {}
    if umask:
        settings["umask"] = int(str(umask), 8)
    try:
        done = subprocess.run(
            words,
            shell=python_shell,
            executable=shell if python_shell else None,
            cwd=directory,
            env={**os.environ, "LC_ALL": "C", "LANG": "C", **{name: str(value) for name, value in more.items()}},
            input=None if stdin is None else str(stdin).encode(),
            stdin=subprocess.DEVNULL if stdin is None else None,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=timeout,
            check=False,
            **settings,
        )
    except subprocess.TimeoutExpired as error:
        raise TimedProcTimeoutError(f"{cmd} : Timed out after {timeout} seconds") from error
    except OSError as error:
        raise CommandExecutionError(f"Unable to run command '{cmd}', reason: {error}") from error
    texts = [one.decode("utf-8", "replace").rstrip("\r\n") for one in (done.stdout, done.stderr)]
    return {"pid": None, "retcode": done.returncode, "stdout": texts[0], "stderr": texts[1]}


def _run_quiet(cmd: Any, **kwargs: Any) -> str:
    """Output and errors of a command, as one text."""
    done = _run(cmd, **kwargs)
    return "\n".join(part for part in (done["stdout"], done["stderr"]) if part)


def _run_all_quiet(cmd: Any, **kwargs: Any) -> Dict[str, Any]:
    return _run(cmd, **kwargs)


def _of_salt(name: str) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        return current.host().functions("modules")[f"cmd.{name}"](*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    return call


run = _of_salt("run")
run_all = _of_salt("run_all")
run_bg = _of_salt("run_bg")
run_stdout = _of_salt("run_stdout")
run_stderr = _of_salt("run_stderr")
retcode = _of_salt("retcode")
shell = _of_salt("shell")
script = _of_salt("script")
script_retcode = _of_salt("script_retcode")
exec_code = _of_salt("exec_code")
exec_code_all = _of_salt("exec_code_all")
has_exec = _of_salt("has_exec")
which = _of_salt("which")
which_bin = _of_salt("which_bin")
