"""XML as dictionaries."""

from __future__ import annotations

from typing import Any, Dict


def _name(tag: str) -> str:
    return tag.partition("}")[2] if tag.startswith("{") else tag


def _plainly(tree: Any) -> Any:
    if len(tree) == 0:
        return {_name(tree.tag): tree.text}
    found: Dict[str, Any] = {}
    for item in tree:
        name = _name(item.tag)
        value = item.text if len(item) == 0 else _plainly(item)
        if name not in found:
            found[name] = value
            continue
        if not isinstance(found[name], list):
            found[name] = [found[name]]
        # A text that comes again keeps its name, as in Salt.
        found[name].append(_plainly(item))
    return found


def _with_attributes(tree: Any) -> Any:
    attributes = {_name(name): value for name, value in tree.attrib.items()}
    if len(tree) == 0 and not attributes:
        return tree.text
    found: Dict[str, Any] = dict(attributes)
    if len(tree) == 0:
        found[_name(tree.tag)] = tree.text
    for item in tree:
        name, value = _name(item.tag), _with_attributes(item)
        if name not in found:
            found[name] = value
        else:
            if not isinstance(found[name], list):
                found[name] = [found[name]]
            found[name].append(value)
    return found


def to_dict(xmltree: Any, attr: bool = False) -> Any:
    return _with_attributes(xmltree) if attr else _plainly(xmltree)
