"""
Records which functions each release of Salt has, by module and family, in scripts/compatibility/salt.json: names alone.

It reads Salt's files without loading them, since most modules load only on systems that have what they need.

Run: python3 scripts/compatibility/record.py 3006=DIR 3007=DIR 3008=DIR > scripts/compatibility/salt.json, then npm run fmt,
where DIR is the folder salt of site-packages of that release.
"""

import ast
import json
import pathlib
import sys

WITH_FUNCTIONS = ("modules", "states", "runners", "wheel")
NAMES_ALONE = (
    "auth", "beacons", "engines", "executors", "fileserver", "output", "pillar", "proxy", "queues", "renderers",
    "returners", "roster", "sdb", "serializers", "thorium", "tokens", "tops",
)
# What Salt calls by itself in a state module, and no state calls.
HOOKS = {"mod_init", "mod_watch", "mod_aggregate", "mod_run_check", "mod_run_check_cmd", "mod_beacon"}


def statements(body):
    """Statements at the top of a file, those behind `if` and `try` included."""
    for node in body:
        yield node
        for part in ("body", "orelse", "finalbody"):
            if isinstance(node, (ast.If, ast.Try)):
                yield from statements(getattr(node, part, []))
        if isinstance(node, ast.Try):
            for handler in node.handlers:
                yield from statements(handler.body)


def is_alias(value):
    """Whether a value is a function under another name."""
    if not isinstance(value, ast.Call):
        return False
    called = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
    return called in ("alias_function", "namespaced_function", "_namespaced_function")


def facts(path):
    """The name that a file is called by, and the functions that callers see."""
    found, aliases, virtual = set(), {}, path.stem
    for node in statements(ast.parse(path.read_text(encoding="utf-8")).body):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.add(node.name)
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name == "__func_alias__":
                aliases = ast.literal_eval(node.value)
            elif name == "__virtualname__" and isinstance(node.value, ast.Constant):
                virtual = node.value.value
            elif is_alias(node.value) or isinstance(node.value, ast.Name) and node.value.id in found:
                found.add(name)
    return virtual, sorted({aliases.get(name, name) for name in found if not name.startswith("_")} - HOOKS)


def files(folder):
    for path in sorted(folder.glob("*.py")) + sorted(folder.glob("*/__init__.py")):
        name = path.parent.name if path.name == "__init__.py" else path.stem
        if not name.startswith("_"):
            yield name, path


def main():
    table = {}
    releases = [argument.split("=", 1) for argument in sys.argv[1:]]
    for release, home in releases:
        for family in (*WITH_FUNCTIONS, *NAMES_ALONE):
            for name, path in files(pathlib.Path(home, family)):
                if name == family:
                    continue
                virtual, functions = facts(path)
                row = table.setdefault(family, {}).setdefault(name, {"as": virtual, "in": [], "functions": {}})
                row["in"].append(release[-1])
                if family in WITH_FUNCTIONS:
                    for function in functions:
                        row["functions"].setdefault(function, []).append(release[-1])
    print("{")
    last = list(table)[-1]
    for family, modules in table.items():
        print(f"  {json.dumps(family)}: {{")
        lines = []
        for name, row in sorted(modules.items()):
            short = {} if row["as"] == name else {"as": row["as"]}
            if len(row["in"]) < len(releases):
                short["in"] = "".join(row["in"])
            # A function that is not in every release that has its module names its releases.
            text = " ".join(
                function if where == row["in"] else f"{function}:{''.join(where)}"
                for function, where in sorted(row["functions"].items())
            )
            if text:
                short["functions"] = text
            lines.append(f"    {json.dumps(name)}: {json.dumps(short)}")
        print(",\n".join(lines))
        print("  }" if family == last else "  },")
    print("}")


main()
