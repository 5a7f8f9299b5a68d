# -*- coding: utf-8 -*-
"""
Facts about this host, in the form that the shop's dashboard wants

:maintainer:    The shop
:maturity:      stable
:platform:      all
"""

from __future__ import absolute_import, print_function, unicode_literals

import logging

log = logging.getLogger(__name__)

__opts__ = {"hostfacts.unit": "GiB", "shop_color": "overridden"}


def __virtual__():
    return True


def summary():
    """
    Return a summary

    CLI Example:

    .. code-block:: bash

        salt '*' hostfacts.summary
    """
    log.debug("hostfacts.summary was called")
    return {
        "os": __grains__["os"],
        "missing": __grains__.get("no such grain", "nothing"),
        "nested": __grains__["shop"]["rack"],
        "role": __pillar__.get("role"),
        "deep": __pillar__["tree"]["branch"]["leaf"],
        "id": __opts__["id"],
        "unit": __opts__["hostfacts.unit"],
        "color": __opts__.get("shop_color"),
        "test": __opts__.get("test", False),
    }


def kinds():
    """Which kinds of mappings these are"""
    return {
        "grains": [isinstance(__grains__.get("shop"), dict), "os" in __grains__, sorted(k for k in __grains__ if k == "os")],
        "pillar": [bool(__pillar__), "role" in __pillar__, len(__pillar__) > 2],
        "opts": [isinstance(__opts__, dict) or hasattr(__opts__, "get"), "id" in __opts__],
        "context": [isinstance(__context__.get("never"), type(None)), "never" in __context__],
        "name": __name__.rsplit(".", 1)[-1],
        "file": __file__.rsplit("/", 1)[-1],
    }


def grain_items(*names, **kwargs):
    """Several grains, sanitized"""
    sanitize = kwargs.get("sanitize", False)
    found = {}
    for name in names:
        if name in __grains__:
            found[name] = "*" * 4 if sanitize else __grains__[name]
    return found
