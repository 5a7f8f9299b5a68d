#!/bin/sh
# Checks the Python of src/model/loader/python by ruff and mypy, in a virtual environment below the cache of this user.
set -eu
cd "$(dirname "$0")/../src/model/loader/python"
place="${XDG_CACHE_HOME:-$HOME/.cache}/brine/lint_python"
if [ ! -x "$place/bin/mypy" ]; then
  python3 -m venv "$place"
  "$place/bin/pip" install -q ruff mypy
fi
"$place/bin/ruff" check --no-cache .
"$place/bin/mypy" --cache-dir=/dev/null brine_helper salt
