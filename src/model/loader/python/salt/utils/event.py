"""Events."""

from __future__ import annotations

import fnmatch
import re
import time
from typing import Any, Dict, Iterator

from brine_helper import current

TAGEND = "||"
TAGS = {"auth": "salt/auth", "job": "salt/job", "key": "salt/key", "minion": "salt/minion", "run": "salt/run", "wheel": "salt/wheel"}


def tagify(suffix: Any = "", prefix: str = "", base: str = "salt") -> str:
    parts = [base, TAGS.get(prefix, prefix)] if prefix and prefix not in TAGS else [TAGS[prefix]] if prefix else [base]
    parts += list(suffix) if isinstance(suffix, (list, tuple)) else [suffix]
    return "/".join(str(part).strip("/") for part in parts if str(part))


class SaltEvent:
    """Fires events on the bus of the minion; an engine hears those of its host, too."""

    def __init__(
        self, node: str = "", sock_dir: Any = None, opts: Any = None, listen: bool = True, **kwargs: Any
    ) -> None:
        self.opts = current.host().options()
        if listen and current.host().is_engine():
            self.connect_pub()

    def __enter__(self) -> "SaltEvent":
        return self

    def __exit__(self, *args: Any) -> None:
        pass

    def fire_event(self, data: Dict[str, Any], tag: str, timeout: Any = None) -> bool:
        if current.host().is_engine():
            current.host().ask("fire", tag=tag, data=data, here=True)
            return True
        return bool(current.host().functions("modules")["event.fire"](data, tag))

    def fire_master(self, data: Dict[str, Any], tag: str, timeout: Any = None) -> bool:
        if current.host().is_engine():
            current.host().ask("fire", tag=tag, data=data)
            return True
        return bool(current.host().functions("modules")["event.send"](tag, data))

    def get_event(
        self,
        wait: float = 5,
        tag: str = "",
        full: bool = False,
        match_type: Any = None,
        no_block: bool = False,
        auto_reconnect: bool = False,
    ) -> Any:
        """The next event whose tag fits: its data, or the whole; ``None`` if none comes in time."""
        end = time.monotonic() + (0 if no_block else wait)
        while True:
            left = end - time.monotonic()
            found = current.host().ask("event", wait=max(0.0, left))
            if found is None:
                if not auto_reconnect and left <= 0:
                    return None
                continue
            if _fits(found["tag"], tag, match_type):
                return {"tag": found["tag"], "data": found["data"]} if full else found["data"]

    def get_event_noblock(self) -> Any:
        return self.get_event(full=True, no_block=True)

    get_event_block = get_event_noblock

    def iter_events(self, tag: str = "", full: bool = False, match_type: Any = None, auto_reconnect: bool = False) -> Iterator[Any]:
        while True:
            found = self.get_event(tag=tag, full=full, match_type=match_type)
            if found is not None:
                yield found

    def subscribe(self, tag: Any = None, match_type: Any = None) -> None:
        pass

    unsubscribe = subscribe

    def connect_pub(self, timeout: Any = None) -> bool:
        """From now on, events are kept for :meth:`get_event`."""
        if current.host().is_engine():
            current.host().ask("listen")
        return True

    def connect_pull(self, timeout: Any = None) -> bool:
        return True

    def destroy(self) -> None:
        pass


def _fits(found: str, wanted: str, match_type: Any) -> bool:
    if not wanted:
        return True
    if match_type == "endswith":
        return found.endswith(wanted)
    if match_type == "find":
        return wanted in found
    if match_type == "regex":
        return re.search(wanted, found) is not None
    if match_type == "fnmatch":
        return fnmatch.fnmatch(found, wanted)
    return found.startswith(wanted)


def get_event(node: str, sock_dir: Any = None, transport: Any = None, opts: Any = None, listen: bool = True, **kwargs: Any) -> SaltEvent:
    return SaltEvent(node, sock_dir, opts, listen=listen)


def get_master_event(opts: Any, sock_dir: Any, listen: bool = True, **kwargs: Any) -> SaltEvent:
    return SaltEvent("master", sock_dir, opts, listen=listen)


class MasterEvent(SaltEvent):
    def __init__(self, sock_dir: Any, opts: Any = None, listen: bool = True, **kwargs: Any) -> None:
        super().__init__("master", sock_dir, opts, listen=listen)


class MinionEvent(SaltEvent):
    def __init__(self, opts: Any, listen: bool = True, **kwargs: Any) -> None:
        super().__init__("minion", None, opts, listen=listen)


class LocalClientEvent(MasterEvent):
    """The bus of a master, for a program beside it."""
