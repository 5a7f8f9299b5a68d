#!py
# Written by people who like Python more than YAML
import os.path

def _state(name, contents):
    return {"shopfile.present": [{"name": name}, {"contents": contents}]}

def run():
    """
    Some files
    """
    config = {}
    directory = __pillar__["dir"]
    for n in range(2):
        config["file{}".format(n)] = _state(os.path.join(directory, str(n)), __salt__["pillar.get"]("role"))
    config["facts"] = {"test.configurable_test_state": [{"changes": False}, {"result": True}, {"comment": "{} {} {} {}".format(sls, saltenv, grains["os"], opts["id"])}]}
    config["include"] = ["low"]
    return config
