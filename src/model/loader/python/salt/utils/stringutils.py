"""Texts and bytes."""

from __future__ import annotations

import difflib
import fnmatch
import re
import string as _string
import secrets
from typing import Any, Iterable, Optional


def _encodings(encoding: Any) -> Any:
    if encoding is None:
        return ("utf-8",)
    return encoding if isinstance(encoding, (list, tuple)) else (encoding,)


def to_bytes(s: Any, encoding: Any = None, errors: str = "strict") -> bytes:
    if isinstance(s, (bytes, bytearray)):
        return bytes(s)
    if isinstance(s, str):
        return s.encode(_encodings(encoding)[0], errors)
    raise TypeError(f"expected str, bytes, or bytearray, not {type(s)}")


def to_unicode(s: Any, encoding: Any = None, errors: str = "strict", normalize: bool = False) -> str:
    if isinstance(s, str):
        return s
    if not isinstance(s, (bytes, bytearray)):
        raise TypeError(f"expected str, bytes, or bytearray, not {type(s)}")
    problem: Optional[UnicodeDecodeError] = None
    for one in _encodings(encoding):
        try:
            return bytes(s).decode(one, errors)
        except UnicodeDecodeError as error:
            problem = error
    assert problem is not None
    raise problem


def to_str(s: Any, encoding: Any = None, errors: str = "strict", normalize: bool = False) -> str:
    return to_unicode(s, encoding, errors, normalize)


def to_none(text: Any) -> Any:
    return None if str(text).strip() in ("", "None", "null") else text


def to_num(text: Any) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def is_quoted(value: Any) -> str:
    return value[0] if isinstance(value, str) and len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else ""


def dequote(value: Any) -> Any:
    return value[1:-1] if is_quoted(value) else value


def is_hex(value: Any) -> bool:
    try:
        int(value, 16)
        return True
    except (TypeError, ValueError):
        return False


def is_binary(data: Any) -> bool:
    if not data or not isinstance(data, (str, bytes)):
        return False
    return ("\x00" if isinstance(data, str) else b"\x00") in data  # type: ignore[operator]


def contains_whitespace(text: str) -> bool:
    return any(char.isspace() for char in text)


def random(size: int = 32) -> str:
    letters = _string.ascii_letters + _string.digits
    return "".join(secrets.choice(letters) for _ in range(size))


def human_to_bytes(size: Any, default_unit: str = "B", handle_metric: bool = False) -> int:
    match = re.match(r"^\s*(\d+(?:\.\d+)?)\s*([KMGTPEZY]?)(i?B|iB|B)?\s*$", str(size), re.IGNORECASE)
    if match is None:
        return 0
    unit = (match.group(2) or (default_unit[0] if default_unit[0].upper() != "B" else "")).upper()
    power = 0 if unit == "" else "KMGTPEZY".index(unit) + 1
    metric = handle_metric and (match.group(3) or "").upper() == "B"
    return int(float(match.group(1)) * (1000 if metric else 1024) ** power)


def camel_to_snake_case(camel_input: str) -> str:
    return re.sub(r"((?<=[a-z])[A-Z]|(?<!^)[A-Z](?=[a-z]))", r"_\1", camel_input).lower()


def snake_to_camel_case(snake_input: str, uppercamel: bool = False) -> str:
    words = snake_input.split("_")
    first = words[0][:1].upper() + words[0][1:] if uppercamel else words[0]
    return first + "".join(word[:1].upper() + word[1:] for word in words[1:])


def expr_match(line: str, expr: Any) -> bool:
    if line == expr:
        return True
    if fnmatch.fnmatch(line, expr):
        return True
    try:
        return re.match(rf"\A{expr}\Z", line) is not None
    except re.error:
        return False


def check_whitelist_blacklist(value: str, whitelist: Any = None, blacklist: Any = None) -> bool:
    lists = [[one] if isinstance(one, str) else list(one or []) for one in (whitelist, blacklist)]
    if any(expr_match(value, expr) for expr in lists[1]):
        return False
    return not lists[0] or any(expr_match(value, expr) for expr in lists[0])


def check_include_exclude(path_str: str, include_pat: Any = None, exclude_pat: Any = None) -> bool:
    def matches(pattern: str) -> bool:
        if pattern.startswith("E@"):
            return re.search(pattern[2:], path_str) is not None
        return fnmatch.fnmatch(path_str, pattern)

    if include_pat and not matches(include_pat):
        return False
    return not (exclude_pat and matches(exclude_pat))


def get_diff(a: Any, b: Any, *args: Any, **kwargs: Any) -> str:
    def lines(value: Any) -> Iterable[str]:
        return value if isinstance(value, (list, tuple)) else to_unicode(value).splitlines(True)

    return "".join(difflib.unified_diff(list(lines(a)), list(lines(b)), *args, **kwargs))


def print_cli(msg: Any, retries: int = 10, step: float = 0.01) -> None:
    print(msg)


def build_whitespace_split_regex(text: str) -> str:
    words = [re.escape(word) for word in text.split()]
    return r"(?:[\s]+)?" + r"(?:[\s]+)?".join(words) + r"(?:[\s]+)?\n"


def get_context(template: str, line: int, num_lines: int = 5, marker: Any = None) -> str:
    """The lines around one."""
    lines = template.splitlines()
    if line > len(lines):
        return template
    first = max(0, line - num_lines - 1)
    last = min(len(lines), line + num_lines)
    if marker:
        lines[line - 1] += marker
    return "\n".join(["---", *lines[first:last], "---"])
