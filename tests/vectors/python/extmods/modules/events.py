"""salt.utils.event, salt.client, salt.config and salt.loader as far as files import them"""

import logging

import salt.client
import salt.config
import salt.loader
import salt.utils.event

log = logging.getLogger(__name__)


def names():
    return [
        hasattr(salt.client, "LocalClient"),
        hasattr(salt.config, "minion_config"),
        hasattr(salt.config, "client_config"),
        hasattr(salt.loader, "minion_mods"),
        hasattr(salt.utils.event, "get_event"),
        hasattr(salt.utils.event, "tagify"),
        salt.utils.event.tagify("x", "job"),
        salt.utils.event.tagify(["a", "b"]),
    ]


def levels():
    log.trace("shown nowhere") if hasattr(log, "trace") else None
    log.info("shown %s", "somewhere")
    return logging.getLogger("salt").name
