"""Programs with a time limit."""

from __future__ import annotations

import shlex
import subprocess
from typing import Any, Optional

import salt.exceptions


class TimedProc:
    """A program that is killed when its time is over."""

    def __init__(self, args: Any, **kwargs: Any) -> None:
        self.wait = not kwargs.pop("bg", False)
        self.stdin = kwargs.pop("stdin", None)
        self.with_communicate = kwargs.pop("with_communicate", self.wait)
        self.timeout: Optional[float] = kwargs.pop("timeout", None)
        self.stdin_raw_newlines = kwargs.pop("stdin_raw_newlines", False)
        self.stdout: Any = None
        self.stderr: Any = None
        if self.timeout is not None and not isinstance(self.timeout, (int, float)):
            raise salt.exceptions.TimedProcTimeoutError(f"Error: timeout {self.timeout} must be a number")
        if not kwargs.get("shell") and isinstance(args, str):
            args = shlex.split(args)
        if self.stdin is not None:
            kwargs["stdin"] = subprocess.PIPE
            self.stdin = self.stdin.encode() if isinstance(self.stdin, str) else self.stdin
        if not self.with_communicate:
            self.stdout = kwargs["stdout"] = subprocess.DEVNULL
            self.stderr = kwargs["stderr"] = subprocess.DEVNULL
        self.command = args
        self.process = subprocess.Popen(args, **kwargs)

    def run(self) -> Any:
        try:
            if self.with_communicate:
                self.stdout, self.stderr = self.process.communicate(input=self.stdin, timeout=self.timeout)
            elif self.wait:
                self.process.wait(timeout=self.timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            raise salt.exceptions.TimedProcTimeoutError(f"{self.command} : Timed out after {self.timeout} seconds") from None
        return self.process.returncode
