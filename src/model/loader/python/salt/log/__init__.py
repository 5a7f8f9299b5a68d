"""The log. Records of Python's log go to Brine's."""

import logging

LOG_LEVELS = {
    "all": 0,
    "garbage": 1,
    "trace": 5,
    "debug": 10,
    "profile": 15,
    "info": 20,
    "warning": 30,
    "error": 40,
    "critical": 50,
    "quiet": 1000,
}
LOG_COLORS: dict = {}
getLogger = logging.getLogger


def is_console_configured() -> bool:
    return True


def is_logfile_configured() -> bool:
    return True


def setup_console_logger(*args: object, **kwargs: object) -> None:
    """The log is set up already."""


setup_logfile_logger = setup_console_logger
