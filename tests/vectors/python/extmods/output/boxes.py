"""
Draw boxes around returns
"""

import salt.utils.stringutils


def output(data, **kwargs):
    """The text of the return"""
    indent = __opts__.get("output_indent", 0)
    lines = []
    for minion in sorted(data):
        lines.append("+ {} {}".format(minion, "-" * 5))
        value = data[minion]
        if isinstance(value, dict):
            lines.extend("| {}: {}".format(k, v) for k, v in sorted(value.items()))
        else:
            lines.append("| {}".format(salt.utils.stringutils.to_unicode(str(value))))
    return "\n".join(" " * (indent if isinstance(indent, int) else 0) + line for line in lines)
