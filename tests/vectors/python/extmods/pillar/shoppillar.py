"""
External pillar of the shop

:configuration:

    .. code-block:: yaml

        ext_pillar:
          - shoppillar: value
"""

import logging

log = logging.getLogger(__name__)

__opts__ = {"shoppillar.default": "set by the module"}


def __virtual__():
    return True


def ext_pillar(minion_id, pillar, *args, **kwargs):
    """Data for a minion"""
    return {
        "shoppillar": {
            "id": minion_id,
            "before": pillar.get("role"),
            "args": list(args),
            "kwargs": {key: kwargs[key] for key in sorted(kwargs)},
            "os": __grains__.get("os"),
            "default": __opts__["shoppillar.default"],
            "call": __salt__["test.echo"]("in the pillar"),
        }
    }
