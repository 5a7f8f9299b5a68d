"""A renderer of sections, which other renderers come before"""

import configparser
import io

import salt.utils.stringutils
from salt.exceptions import SaltRenderError
from salt.utils.odict import OrderedDict


def render(ini_data, saltenv="base", sls="", argline="", **kws):
    if hasattr(ini_data, "read"):
        ini_data = ini_data.read()
    parser = configparser.ConfigParser(allow_no_value=True)
    try:
        parser.read_file(io.StringIO(salt.utils.stringutils.to_str(ini_data)))
    except configparser.Error as exc:
        raise SaltRenderError(f"bad section: {type(exc).__name__}") from exc
    data = OrderedDict()
    for section in parser.sections():
        function = parser.get(section, "state")
        data[section] = {function: [{key: value} for key, value in parser.items(section) if key != "state"]}
    return data
