"""Templates, rendered by Brine."""

from __future__ import annotations

from typing import Any, Callable, Dict

from brine_helper import current
from salt.exceptions import SaltRenderError

#: What every template has in Brine.
_OWN = ("opts", "salt", "grains", "pillar", "proxy", "saltenv", "sls", "tmplpath", "tplfile", "tpldir", "tpldot", "slspath")


def render_jinja_tmpl(tmplstr: str, context: Any, tmplpath: Any = None) -> str:
    more = {key: value for key, value in context.items() if key not in _OWN and not callable(value)}
    render = current.host().functions("modules")["slsutil.renderer"]
    try:
        text = render(string=tmplstr if tmplstr else " ", default_renderer="jinja", **more)
    except SaltRenderError:
        raise
    except Exception as error:
        raise SaltRenderError(str(error)) from error
    return str(text) if tmplstr else ""


def _file(render: Callable[[str, Any, Any], str]) -> Callable[..., Dict[str, Any]]:
    def template(
        tmplsrc: Any, from_str: bool = False, to_str: bool = False, context: Any = None, tmplpath: Any = None, **kwargs: Any
    ) -> Dict[str, Any]:
        if from_str:
            text = tmplsrc
        elif hasattr(tmplsrc, "read"):
            text = tmplsrc.read()
        else:
            with open(tmplsrc, encoding="utf-8") as handle:
                text = handle.read()
        data = render(text, {**kwargs, **(context or {})}, tmplpath)
        if to_str:
            return {"result": True, "data": data}
        from salt.utils.files import mkstemp

        path = mkstemp()
        with open(path, "w", encoding="utf-8") as handle:
            handle.write(data)
        return {"result": True, "data": path}

    return template


def _absent(name: str) -> Callable[..., Any]:
    def template(*args: Any, **kwargs: Any) -> Any:
        raise SaltRenderError(f"Brine renders no {name} from Python: use jinja")

    return template


JINJA = _file(render_jinja_tmpl)
TEMPLATE_REGISTRY: Dict[str, Callable[..., Any]] = {
    "jinja": JINJA,
    "mako": _absent("mako"),
    "py": _absent("py"),
    "wempy": _absent("wempy"),
}
