"""What a state function knows of its run"""


def seen(name):
    return {
        "name": name,
        "changes": {
            "id": __low__["__id__"],
            "sls": __low__["__sls__"],
            "env": __env__,
            "fun": __low__["fun"],
            "order": isinstance(__low__["order"], int),
            "low": sorted(key for key in __low__ if not key.startswith("__")),
            "lowstate": len(__lowstate__),
            "running": sorted(key.split("_|-")[1] for key in __running__),
            "instance": isinstance(__instance_id__, str),
        },
        "result": True,
        "comment": "",
    }
