"""Cards, as outputters with colors are written"""

import salt.utils.color
import salt.utils.stringutils


def output(ret, **kwargs):
    colors = salt.utils.color.get_colors(__opts__.get("color"), __opts__.get("color_theme"))
    lines = []
    for host, data in sorted(ret.items()):
        lines.append(f"{colors['GREEN']}[{salt.utils.stringutils.to_unicode(host)}]{colors['ENDC']}")
        lines.extend(f"  {key}={value}" for key, value in sorted(data.items()))
    return "\n".join(lines) + "\n"
