"""
Lines of ``key = value``

:maturity: stable
"""

import io

import salt.utils.odict


def render(template_data, saltenv="base", sls="", argline="", **kwargs):
    """Turns lines into a map"""
    if hasattr(template_data, "read"):
        template_data = template_data.read()
    ret = salt.utils.odict.OrderedDict()
    for line in template_data.splitlines():
        if "=" not in line or line.lstrip().startswith("#"):
            continue
        key, _, value = line.partition("=")
        ret[key.strip()] = value.strip()
    ret["_meta"] = [saltenv, sls, argline]
    return ret
