"""Templates, with salt.utils.templates"""

import os
import tempfile

import salt.utils.files
import salt.utils.stringutils
import salt.utils.templates
from salt.exceptions import SaltRenderError


def jinja(text, **context):
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "t.j2")
        with salt.utils.files.fopen(path, "w") as handle:
            handle.write(salt.utils.stringutils.to_str(text))
        found = salt.utils.templates.JINJA(
            path,
            to_str=True,
            salt=__salt__,
            grains=__grains__,
            pillar=__pillar__,
            opts=__opts__,
            saltenv="base",
            sls="",
            context={key: value for key, value in context.items() if not key.startswith("__")},
        )
    return [found["result"], found["data"]]


def text(template, **context):
    names = {"opts": __opts__, "saltenv": "base", "sls": "", "grains": __grains__, "salt": __salt__}
    names.update({key: value for key, value in context.items() if not key.startswith("__")})
    return salt.utils.templates.render_jinja_tmpl(template, names)


def fails(template):
    try:
        return text(template)
    except SaltRenderError as exc:
        return ["render", str(exc).splitlines()[0]]


def registry():
    return sorted(name for name in salt.utils.templates.TEMPLATE_REGISTRY if name in ("jinja", "py", "mako"))
