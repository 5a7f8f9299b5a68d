import salt.utils.yaml
from salt.exceptions import SaltRenderError


def render(yaml_data, saltenv="base", sls="", **kws):
    if not isinstance(yaml_data, str):
        yaml_data = yaml_data.read()
    data = salt.utils.yaml.safe_load(yaml_data)
    if not isinstance(data, dict):
        raise SaltRenderError("a map is wanted")
    data["os"] = __grains__["os"]
    data["role"] = __pillar__.get("role")
    return data
