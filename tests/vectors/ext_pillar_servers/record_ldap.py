"""Records what pillar_ldap of real Salt makes of a directory.

    python record_ldap.py PORT < cases.json > answers_ldap.json

With salt 3006 and python-ldap in that Python, and a slapd on 127.0.0.1 that has the LDIF of the first case.
"""
import json, os, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../interop"))
import salt.config
from pillar_reference import compiled

defaults = salt.config.master_config(None)
cases = json.load(sys.stdin)
print("[\n" + ",\n".join(
    " " + json.dumps({**case, "pillar": compiled(defaults, json.loads(json.dumps(case).replace("{PORT}", sys.argv[1])))})
    for case in cases
) + "\n]")
