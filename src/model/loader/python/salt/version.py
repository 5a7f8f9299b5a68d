"""The version of Salt whose behavior this package has."""

from __future__ import annotations

from typing import Any, Tuple

__version__ = "3006.0"
__saltstack_version__: "SaltStackVersion"


class SaltStackVersion:
    """A version of Salt: it compares with others and with texts."""

    def __init__(self, *numbers: Any) -> None:
        self.info: Tuple[int, ...] = tuple(int(number) for number in numbers if str(number).isdigit())

    @classmethod
    def parse(cls, text: str) -> "SaltStackVersion":
        return cls(*[part for part in text.lstrip("v").split(".") if part.isdigit()])

    @classmethod
    def from_name(cls, name: str) -> "SaltStackVersion":
        known = {"neon": 3000, "sodium": 3001, "magnesium": 3002, "aluminium": 3003, "silicon": 3004, "phosphorus": 3005}
        known.update({"sulfur": 3006, "chlorine": 3007, "argon": 3008, "potassium": 3009, "calcium": 3010})
        return cls(known.get(name.lower(), 9999))

    def _of(self, other: Any) -> Tuple[int, ...]:
        if isinstance(other, SaltStackVersion):
            return other.info
        if isinstance(other, str):
            return SaltStackVersion.parse(other).info
        return tuple(other)

    def __eq__(self, other: Any) -> bool:
        return self.info == self._of(other)

    def __lt__(self, other: Any) -> bool:
        return self.info < self._of(other)

    def __le__(self, other: Any) -> bool:
        return self.info <= self._of(other)

    def __gt__(self, other: Any) -> bool:
        return self.info > self._of(other)

    def __ge__(self, other: Any) -> bool:
        return self.info >= self._of(other)

    def __hash__(self) -> int:
        return hash(self.info)

    @property
    def major(self) -> int:
        return self.info[0] if self.info else 0

    @property
    def string(self) -> str:
        return ".".join(map(str, self.info))

    formatted_version = string

    def __str__(self) -> str:
        return self.string


__saltstack_version__ = SaltStackVersion(3006, 0)
__version_info__ = __saltstack_version__.info
