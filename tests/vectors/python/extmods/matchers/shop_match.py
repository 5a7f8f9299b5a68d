"""Match by the shelf of the shop"""


def match(tgt, opts=None, minion_id=None):
    if not opts:
        opts = __opts__
    return opts["grains"].get("shop", {}).get("rack") == tgt
