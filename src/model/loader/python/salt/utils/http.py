"""HTTP, by Brine."""

from typing import Any

from brine_helper import current


def query(url: str, **kwargs: Any) -> Any:
    kwargs.pop("opts", None)
    return current.host().functions("modules")["http.query"](url, **kwargs)
