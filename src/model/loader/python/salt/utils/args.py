"""Arguments of functions."""

from __future__ import annotations

import ast
import inspect
import re
import shlex
from collections import namedtuple
from typing import Any, Dict, List, Tuple

KWARG_REGEX = re.compile(r"^([^\d\W][\w.-]*)=(?!=)(.*)$", re.UNICODE)
ArgSpec = namedtuple("ArgSpec", "args varargs keywords defaults")


def clean_kwargs(**kwargs: Any) -> Dict[str, Any]:
    """Without the names that begin with two underscores."""
    return {name: value for name, value in kwargs.items() if not name.startswith("__")}


def invalid_kwargs(invalid: Any, raise_exc: bool = True) -> Any:
    from salt.exceptions import SaltInvocationError

    if not invalid:
        return None
    shown = [f"{name}={value}" for name, value in invalid.items()] if isinstance(invalid, dict) else list(invalid)
    text = f"The following keyword arguments are not valid: {', '.join(shown)}"
    if raise_exc:
        raise SaltInvocationError(text)
    return text


def get_function_argspec(func: Any, is_class_method: Any = None) -> Any:
    spec = inspect.getfullargspec(func)
    names = spec.args[1:] if inspect.ismethod(func) or is_class_method else spec.args
    return ArgSpec(names, spec.varargs, spec.varkw, spec.defaults)


def arg_lookup(fun: Any, aspec: Any = None) -> Dict[str, Any]:
    spec = aspec or get_function_argspec(fun)
    defaults = spec.defaults or ()
    first = len(spec.args) - len(defaults)
    return {"args": list(spec.args[:first]), "kwargs": dict(zip(spec.args[first:], defaults))}


def shlex_split(s: Any, **kwargs: Any) -> Any:
    return shlex.split(s, **kwargs) if isinstance(s, str) else s


def yamlify_arg(arg: Any) -> Any:
    if not isinstance(arg, str) or arg.strip() == "":
        return arg
    import salt.utils.yaml

    try:
        read = salt.utils.yaml.safe_load(arg)
    except salt.utils.yaml.YAMLError:
        return arg
    # A text with a colon is a text.
    return arg if isinstance(read, dict) and not arg.lstrip().startswith("{") else read


def condition_input(args: Any, kwargs: Any) -> List[Any]:
    made = list(args)
    if kwargs:
        made.append({**kwargs, "__kwarg__": True})
    return made


def parse_kwarg(string: str) -> Tuple[Any, Any]:
    match = KWARG_REGEX.match(string)
    return match.groups() if match else (None, None)  # type: ignore[return-value]


def parse_input(args: Any, condition: bool = True, no_parse: Any = None) -> List[Any]:
    positional, keyword = [], {}
    for arg in args:
        name, value = parse_kwarg(arg) if isinstance(arg, str) else (None, None)
        if name:
            keyword[name] = value if no_parse and name in no_parse else yamlify_arg(value)
        else:
            positional.append(yamlify_arg(arg))
    return condition_input(positional, keyword) if condition else [positional, keyword]


def split_input(val: Any, mapper: Any = None) -> List[Any]:
    made = val if isinstance(val, list) else str(val).split(",")
    return [mapper(item) if mapper else (item.strip() if isinstance(item, str) else item) for item in made]


def test_mode(**kwargs: Any) -> bool:
    return any(name.startswith(("Test", "test")) and bool(value) for name, value in kwargs.items() if name.lower() == "test")


def parse_function(s: str) -> Tuple[Any, List[Any], Dict[str, Any]]:
    """Reads ``mod.fun(1, a=2)``."""
    name, opened, rest = s.partition("(")
    if not opened or not rest.endswith(")"):
        return None, [], {}
    call = ast.parse(f"f({rest}", mode="eval").body
    assert isinstance(call, ast.Call)

    def value(node: ast.AST) -> Any:
        return node.id if isinstance(node, ast.Name) else ast.literal_eval(node)

    return name, [value(arg) for arg in call.args], {key.arg or "": value(key.value) for key in call.keywords}


def prepare_kwargs(all_kwargs: Any, class_init_kwargs: Any) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    own = {name: value for name, value in all_kwargs.items() if name in class_init_kwargs}
    return own, {name: value for name, value in all_kwargs.items() if name not in own}


def format_call(
    fun: Any, data: Any, initial_ret: Any = None, expected_extra_kws: Any = (), is_class_method: Any = None
) -> Dict[str, Any]:
    """The positional and the named arguments that a function gets of a map."""
    from salt.exceptions import SaltInvocationError

    ret: Dict[str, Any] = dict(initial_ret or {})
    spec = get_function_argspec(fun, is_class_method=is_class_method)
    known = arg_lookup(fun, spec)
    left = {name: value for name, value in data.items() if not name.startswith("__")}
    missing = [name for name in known["args"] if name not in left]
    if missing:
        raise SaltInvocationError(f"{fun.__name__} takes at least {len(known['args'])} arguments: {', '.join(missing)} missing")
    ret["args"] = [left.pop(name) for name in known["args"]]
    ret["kwargs"] = {name: left.pop(name, value) for name, value in known["kwargs"].items()}
    if spec.keywords:
        ret["kwargs"].update(left)
        left = {}
    extra = {name: value for name, value in left.items() if name not in expected_extra_kws}
    if extra:
        ret["extra"] = extra
    return ret
