"""Addresses, above all those of the file server."""

from __future__ import annotations

import re
from typing import Any, Iterable, Optional, Tuple
from urllib.parse import urlparse, urlunparse

_SALT = "salt://"


def _path(url: str) -> str:
    return url[len(_SALT) :] if url.startswith(_SALT) else url


def parse(url: str) -> Tuple[str, Optional[str]]:
    if not url.startswith(_SALT):
        return url, None
    path = _path(url)
    if path.startswith("|"):
        return path.lstrip("|"), None
    path, _, query = path.partition("?")
    _, found, saltenv = query.partition("saltenv=")
    return path, saltenv if found else None


def create(path: str, saltenv: Optional[str] = None) -> str:
    return f"{_SALT}{path}" + (f"?saltenv={saltenv}" if saltenv else "")


def is_escaped(url: str) -> bool:
    return _path(url).startswith("|") if url.startswith(_SALT) or url.startswith("|") else False


def escape(url: str) -> str:
    if is_escaped(url):
        return url
    return f"{_SALT}|{_path(url)}" if url.startswith(_SALT) else f"|{url}"


def unescape(url: str) -> str:
    if not is_escaped(url):
        return url
    return f"{_SALT}{_path(url).lstrip('|')}" if url.startswith(_SALT) else url.lstrip("|")


def add_env(url: str, saltenv: str) -> str:
    return url if not url.startswith(_SALT) else create(parse(url)[0], saltenv)


def split_env(url: str) -> Tuple[str, Optional[str]]:
    if not url.startswith(_SALT):
        return url, None
    path, saltenv = parse(url)
    return create(path), saltenv


def validate(url: str, protos: Iterable[str]) -> bool:
    return urlparse(url).scheme in protos


def strip_proto(url: str) -> str:
    return re.sub("^[^:/]+://", "", url)


def add_http_basic_auth(url: str, user: Optional[str] = None, password: Optional[str] = None, https_only: bool = False) -> str:
    if user is None and password is None:
        return url
    parts: Any = urlparse(url)
    if https_only and parts.scheme != "https":
        raise ValueError("Basic Auth only supported for HTTPS")
    login = f"{user}" if password is None else f"{user}:{password}"
    return str(urlunparse(parts._replace(netloc=f"{login}@{parts.netloc}")))


def redact_http_basic_auth(output: str) -> str:
    return re.sub("(https?://)(.*)@", r"\1<redacted>@", output)
