"""Configuration: config.get, options, pillar"""

import salt.config
import salt.utils.data
import salt.utils.dictupdate
from salt.defaults import DEFAULT_TARGET_DELIM

DEFAULTS = {"configured.color": "green", "configured": {"size": 2, "deep": {"a": 1}}}


def _setting(name, default=None):
    return __salt__["config.get"](f"configured:{name}", default)


def settings():
    return {
        "option": __salt__["config.option"]("shop_color"),
        "dotted": __salt__["config.get"]("configured.color", DEFAULTS["configured.color"]),
        "deep": _setting("deep:a", DEFAULTS["configured"]["deep"]["a"]),
        "other": __salt__["config.get"]("shop_color"),
        "pillar": __salt__["config.get"]("role"),
        "grain": __salt__["config.get"]("planet"),
        "merged": __salt__["config.get"]("shop_color", merge="recurse"),
        "delimiter": DEFAULT_TARGET_DELIM,
    }


def options():
    return {
        "id": __opts__["id"],
        "pillar": __opts__["pillar"]["role"],
        "grains": __opts__["grains"]["planet"],
        "get": __opts__.get("configured.color", "none"),
        "test": __opts__.get("test"),
        "client": __opts__["file_client"],
        "roots": sorted(__opts__["file_roots"]),
        "renderer": __opts__["renderer"],
        "copy": dict(__opts__)["id"],
        "in": ["cachedir" in __opts__, "nothing" in __opts__],
        "items": isinstance(__opts__, dict),
        "traversed": salt.utils.data.traverse_dict_and_list(__opts__, "pillar:role"),
    }


def pillar():
    merged = salt.utils.dictupdate.update(dict(DEFAULTS["configured"]), __salt__["pillar.get"]("configured", {}))
    return [merged, __salt__["pillar.get"]("role", "x"), __pillar__.get("role"), __salt__["pillar.get"]("no:such", default="d"), __salt__["pillar.items"]("role"), sorted(__pillar__)[:0]]


def environment(name="SHOP_NOT_SET"):
    return [__salt__["environ.get"](name, "unset"), __salt__["grains.get"]("os"), __salt__["grains.has_value"]("planet"), __salt__["grains.filter_by"]({"ShopOS": {"a": 1}, "default": {"b": 2}}, grain="os")]
