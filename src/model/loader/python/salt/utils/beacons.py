"""Configurations of beacons."""

from typing import Any, Dict, List


def list_to_dict(config: Any) -> Any:
    """The items of a configuration as one map."""
    if not isinstance(config, list):
        return config
    made: Dict[str, Any] = {}
    for item in config:
        made.update(item)
    return made


def remove_hidden_options(config: Any, whitelist: List[str]) -> List[Any]:
    """Without the options that belong to every beacon."""
    hidden = {"interval", "disable_during_state_run", "beacon_module", "_beacon_name"} - set(whitelist)
    return [item for item in config if not hidden.intersection(item)]
