"""Constants of Salt."""

from typing import Any

from brine_helper.wire import Constant

DEFAULT_TARGET_DELIM = ":"
NOT_SET: Any = Constant("NOT_SET")
