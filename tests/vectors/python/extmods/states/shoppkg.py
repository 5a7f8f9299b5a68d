"""States that are prepared and gathered"""


def mod_init(low):
    __context__["shoppkg.ready"] = low["fun"]
    return True


def installed(name, pkgs=None, **kwargs):
    return {
        "name": name,
        "changes": {"pkgs": pkgs or [name]},
        "result": True,
        "comment": "ready by {}".format(__context__.get("shoppkg.ready")),
    }


def mod_aggregate(low, chunks, running):
    """Gathers packages of all chunks of this function"""
    pkgs = []
    if low.get("fun") not in ("installed",):
        return low
    for chunk in chunks:
        tag = __utils__["state.gen_tag"](chunk) if "state.gen_tag" in __utils__ else None
        if tag is not None and tag in running:
            continue
        if chunk.get("state") == "shoppkg" and chunk.get("fun") == "installed" and not chunk.get("__agg__"):
            pkgs.append(chunk["name"])
            chunk["__agg__"] = True
    if pkgs:
        low["pkgs"] = pkgs
    return low
