"""Says what real Salt makes of permissions: cases as JSON on stdin, the same with `allowed` or `granted` on stdout."""

import json
import sys

import salt.utils.minions
import salt.version


class Checker(salt.utils.minions.CkMinions):
    """Without a master's files: a case says itself what its targets mean."""

    def __init__(self, case):
        self.opts = {"permissive_acl": case.get("permissive", False)}
        if case.get("expanded"):
            self.opts["auth.enable_expanded_auth_matching"] = True
        self.targets = case.get("targets", {})

    def check_minions(self, expr, tgt_type="glob", delimiter=":", greedy=True):
        return {"minions": self.targets.get(expr, []), "missing": []}


def judge(case):
    checker = Checker(case)
    if "section" in case:
        case["granted"] = checker.fill_auth_list(case["section"], case["name"], case.get("groups", []))
    elif "form" in case:
        load = {"arg": case.get("args", []), "kwarg": case.get("kwargs", {})}
        check = checker.runner_check if case["form"] == "runner" else checker.wheel_check
        case["allowed"] = check(case["permissions"], case["fun"], load) is True
    else:
        args = list(case.get("args", []))
        if case.get("kwargs"):
            args.append({**case["kwargs"], "__kwarg__": True})
        case["allowed"] = bool(
            checker.auth_check(
                case["permissions"], case["fun"], args, case["tgt"], "glob",
                minions=case["targets"].get(case["tgt"], []), whitelist=["saltutil.find_job"],
            )
        )
    return case


document = json.load(sys.stdin)
document["generated_with"] = f"salt {salt.version.__version__}"
document["cases"] = [judge(case) for case in document["cases"]]
lines = ",\n".join("  " + json.dumps(case) for case in document.pop("cases"))
head = json.dumps(document, indent=1)[:-2]
print(f'{head},\n "cases": [\n{lines}\n ]\n}}')
