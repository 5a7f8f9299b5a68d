"""Events."""

from __future__ import annotations

from typing import Any, Dict

from brine_helper import current

TAGEND = "||"
TAGS = {"auth": "salt/auth", "job": "salt/job", "key": "salt/key", "minion": "salt/minion", "run": "salt/run", "wheel": "salt/wheel"}


def tagify(suffix: Any = "", prefix: str = "", base: str = "salt") -> str:
    parts = [base, TAGS.get(prefix, prefix)] if prefix and prefix not in TAGS else [TAGS[prefix]] if prefix else [base]
    parts += list(suffix) if isinstance(suffix, (list, tuple)) else [suffix]
    return "/".join(str(part).strip("/") for part in parts if str(part))


class SaltEvent:
    """Fires events on the bus of the minion."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __enter__(self) -> "SaltEvent":
        return self

    def __exit__(self, *args: Any) -> None:
        pass

    def fire_event(self, data: Dict[str, Any], tag: str, timeout: Any = None) -> bool:
        return bool(current.host().functions("modules")["event.fire"](data, tag))

    def fire_master(self, data: Dict[str, Any], tag: str, timeout: Any = None) -> bool:
        return bool(current.host().functions("modules")["event.send"](tag, data))

    def destroy(self) -> None:
        pass


def get_event(*args: Any, **kwargs: Any) -> SaltEvent:
    return SaltEvent()


get_master_event = MinionEvent = LocalClientEvent = get_event
