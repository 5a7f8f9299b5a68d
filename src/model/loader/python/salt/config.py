"""The configuration of this process."""

from __future__ import annotations

import copy
from typing import Any, Dict

from brine_helper import current


def _options(*args: Any, **kwargs: Any) -> Dict[str, Any]:
    """The options that this process runs with, whatever file is named."""
    return copy.deepcopy(current.host().options())


minion_config = master_config = client_config = syndic_config = _options
DEFAULT_MINION_OPTS: Dict[str, Any] = {"conf_file": "/etc/salt/minion", "file_client": "remote"}
DEFAULT_MASTER_OPTS: Dict[str, Any] = {"conf_file": "/etc/salt/master", "file_client": "remote"}
