"""Wheel functions of the shop"""


def keys(match="*"):
    """What the wheel is asked"""
    return {"match": match, "has_pki": "pki_dir" in __opts__}


def fails():
    raise RuntimeError("wheel broke")
