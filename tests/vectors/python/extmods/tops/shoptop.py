"""
Top data by the name of the minion

:configuration:

    .. code-block:: yaml

        master_tops:
          shoptop:
            prefix: role
"""

import logging

log = logging.getLogger(__name__)


def __virtual__():
    return "shoptop" in __opts__.get("master_tops", {})


def top(**kwargs):
    """The states of one minion"""
    minion_id = kwargs["opts"]["id"]
    prefix = __opts__["master_tops"]["shoptop"]["prefix"]
    return {"base": ["{}.{}".format(prefix, minion_id), kwargs["grains"].get("os", "none")]}
