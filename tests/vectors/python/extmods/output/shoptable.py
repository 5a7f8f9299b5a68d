# -*- coding: utf-8 -*-
"""
Show a list of maps as a table
"""
import salt.output
import salt.utils.color
import salt.utils.stringutils

__virtualname__ = "shoptable"


def __virtual__():
    return __virtualname__


def output(ret, **kwargs):
    colors = salt.utils.color.get_colors(__opts__.get("color"), __opts__.get("color_theme"))
    lines = []
    for minion, rows in sorted(ret.items()):
        lines.append("{}{}{}".format(colors["CYAN"], minion, colors["ENDC"]))
        if not isinstance(rows, list):
            lines.append(" " * __opts__.get("nested_indent", 2) + salt.utils.stringutils.to_unicode(str(rows)))
            continue
        names = sorted({name for row in rows for name in row})
        width = {name: max(len(str(row.get(name, ""))) for row in rows + [{name: name}]) for name in names}
        lines.append(" | ".join(name.ljust(width[name]) for name in names))
        lines.extend(" | ".join(str(row.get(name, "")).ljust(width[name]) for name in names) for row in rows)
    return "\n".join(lines)
