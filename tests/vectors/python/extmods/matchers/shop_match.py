"""Targets by the color of the shop"""

import logging

log = logging.getLogger(__name__)


def match(tgt, opts=None, minion_id=None):
    if not opts:
        opts = __opts__
    return tgt in (opts["grains"]["planet"], opts["pillar"].get("role"), opts["id"])
