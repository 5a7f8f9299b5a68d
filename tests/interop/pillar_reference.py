"""
Compiles pillar trees with real Salt, for comparison: cases come as JSON on stdin, the same with their results go to stdout.
Run by the interpreter of a release; tests/vectors/pillar.json was filled in by it.
"""

import contextlib
import copy
import json
import logging
import os
import shutil
import sqlite3
import sys
import tempfile

import salt.config
import salt.pillar
import salt.version

logging.disable(logging.CRITICAL)


def escaped(value):
    """A value as JSON can hold it: see tests/vectors/README.md."""
    if isinstance(value, bytes):
        return {"$bytes": value.hex()}
    if isinstance(value, float):
        return {"$float": repr(value)}
    if isinstance(value, dict):
        if all(isinstance(key, str) and not key.isdigit() for key in value):
            return {key: escaped(item) for key, item in value.items()}
        return {"$map": [[escaped(key), escaped(item)] for key, item in value.items()]}
    if isinstance(value, (list, tuple)):
        return [escaped(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**53:
        return {"$int": str(value)}
    return value


def placed(value, root):
    """The value with the directory of the case in the place of {ROOT}."""
    if isinstance(value, str):
        return value.replace("{ROOT}", root)
    if isinstance(value, list):
        return [placed(item, root) for item in value]
    if isinstance(value, dict):
        return {placed(key, root): placed(item, root) for key, item in value.items()}
    return value


def unplaced(value, root):
    """The other way round, for messages that name files."""
    if isinstance(value, str):
        return value.replace(root, "{ROOT}")
    if isinstance(value, list):
        return [unplaced(item, root) for item in value]
    if isinstance(value, dict):
        return {unplaced(key, root): unplaced(item, root) for key, item in value.items()}
    return value


def compiled(defaults, case):
    """What Salt makes of a case, or the name of what it raises."""
    root = tempfile.mkdtemp(prefix="brine-pillar-")
    try:
        for name, text in case["files"].items():
            path = os.path.join(root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        for name, sql in case.get("databases", {}).items():
            with contextlib.closing(sqlite3.connect(os.path.join(root, name))) as database:
                database.executescript(sql)
        opts = copy.deepcopy(defaults)
        opts["cachedir"] = os.path.join(root, "cache")
        opts.update(placed(case.get("opts", {}), root))
        opts.setdefault("pillar_roots", {})
        if "pillar_roots" not in case.get("opts", {}):
            opts["pillar_roots"] = {"base": [os.path.join(root, "base")]}
        request = case.get("request", {})
        try:
            pillar = salt.pillar.Pillar(
                opts,
                {"id": "web1", **case.get("grains", {})},
                request.get("id", "web1"),
                request.get("saltenv"),
                ext=placed(request.get("ext"), root),
                pillar_override=request.get("override"),
                pillarenv=request.get("pillarenv"),
                extra_minion_data=request.get("extra_minion_data"),
            )
            return unplaced(escaped(pillar.compile_pillar()), root)
        except Exception as exc:  # pylint: disable=broad-except
            return {"$error": type(exc).__name__}
    finally:
        shutil.rmtree(root)


def main():
    """Fills in what each case gives."""
    defaults = salt.config.master_config(None)
    given = json.load(sys.stdin)
    given["generated_with"] = f"salt {salt.version.__version__}"
    for case in given["cases"]:
        case["pillar"] = compiled(defaults, case)
    json.dump(given, sys.stdout, indent=1, ensure_ascii=False)
    print()


if __name__ == "__main__":
    main()
