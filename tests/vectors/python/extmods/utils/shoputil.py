"""What modules of the shop share"""

import logging

log = logging.getLogger(__name__)


def price(n, tax=0.0):
    return n + n * tax


def where():
    return [__grains__["os"], __opts__["id"], "test.ping" in __salt__]
