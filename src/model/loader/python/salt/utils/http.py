"""HTTP, by Brine."""

import re
from typing import Any, Iterable

from brine_helper import current


def query(url: str, **kwargs: Any) -> Any:
    kwargs.pop("opts", None)
    return current.host().functions("modules")["http.query"](url, **kwargs)


def sanitize_url(url: str, hide_fields: Iterable[str]) -> str:
    """An address for logs: the values of these fields are hidden."""
    for field in hide_fields:
        url = re.sub(rf"([?&]{re.escape(field)}=)[^&]*", r"\1XXXXXXXXXX", url)
    return url
