"""Options of returners."""

from __future__ import annotations

from typing import Any, Dict, Optional


def get_returner_options(
    virtualname: Optional[str] = None,
    ret: Optional[Dict[str, Any]] = None,
    attrs: Optional[Dict[str, str]] = None,
    **kwargs: Any,
) -> Dict[str, Any]:
    """The options of a returner: of the job, of its profile, of the configuration, and then what it has as defaults."""
    opts = kwargs.get("__opts__", {})
    job = ret or {}
    config = str(job.get("ret_config", "") or "")
    given = job.get("ret_kwargs") or {}
    salt = kwargs.get("__salt__") or {}
    defaults = kwargs.get("defaults") or {}
    found: Dict[str, Any] = {}
    for name, word in (attrs or {}).items():
        keys = [f"{config}.{virtualname}.{word}"] if config else []
        keys.append(f"{virtualname}.{word}")
        value = given.get(name)
        for key in keys:
            if value is not None:
                break
            value = opts.get(key)
            if value is None and "config.option" in salt:
                value = salt["config.option"](key) or None
        if value is None and isinstance(opts.get(virtualname), dict):
            value = opts[virtualname].get(word)
        if value is None:
            value = defaults.get(name)
        if value is not None:
            found[name] = value
    if config:
        found["_ret_config"] = config
    return found
