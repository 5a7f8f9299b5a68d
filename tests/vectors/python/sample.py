"""The functions of real Salt on this host, and what a drawn sample of those returns that read and change nothing.

    $SALT/3006/bin/python sample.py CONFIG_DIR SEED COUNT > sample.json
"""
import json, logging, random, re, sys, warnings

warnings.simplefilter("ignore")
import salt.config, salt.minion, salt.payload, salt.utils.args

from record import plain

#: Names of functions that read.
READS = re.compile(
    r"^(get|list|is_|has|show|version|available|info$|ls$|items?$|exists|stats?$|getent|check_|find$|read|hash|digest|base64|md5|sha\d|"
    r"ping$|echo$|arg|kwarg$|doc$|argspec|state_|renderer_|home|ip_|calc|merge|diff|convert|parse|join|dirname|basename|normpath|access|contains|"
    r"grep|search|providers$|not_loaded|missing|active$|enabled|disabled|status|fstab|swaps|envs$|shells$|procs?$|mounts?|lsattr|lstat|"
    r"group_to|user_to|reverse|subnets|iphexval|config_get|fib$|val|filter|render)"
)
#: Parts of names of functions that do more, or whose answers are another each time.
MORE = re.compile(
    r"add|set_|write|remove|delete|create|refresh|get_url|get_file|cache|time|date|_io_|cpu|loadavg|meminfo|netstat|active_tcp|pid|procs|usage|"
    r"diskstats|statvfs|vmstats|top$|lsof|ps\.|revoke|ls_remote|list_all_versions|show_low|show_high|docker|paus|password|balances|disk_|nproc|"
    # What describes the installation, is on other servers, or changes while it is read.
    r"^sys\.|^test\.(version|get_opts)|^config\.items|^grains\.items|^pip\.|^baredoc\.|^file\.l?stats?$|file\.grep|get_fstype|sysctl\.show|"
    r"upgrades|list_repo|list_minion|^random|get_repo_keys|^cp\.get_|^environ\.items|^grains\.ls|^test\.(fib|not_loaded|providers)|^syslog_ng\."
)
#: Modules of services elsewhere, which answer after a timeout.
ELSEWHERE = set(
    "cloud consul glassfish grafana4 k8s namecheap_domains namecheap_ssl namecheap_users nova nxos nxos_api pagerduty pagerduty_util peeringdb s3 "
    "serverdensity_device slack vault vsphere zabbix zenoss iosconfig mine cpan gem npm helm kubeadm highstate_doc status saltutil "
    "telegram pushover trafficserver victorops pushbullet mattermost_notify ifttt keystone neutronng glance heat swift".split()
)
VALUES = {
    "path": "/etc/passwd", "name": "root", "user": "root", "username": "root", "group": "root", "hostname": "localhost", "host": "localhost",
    "text": "abc", "instr": "abc", "string": "abc", "obj": {"a": 1}, "pattern": "root", "key": "a", "cidr": "10.0.0.0/24", "ip_addr": "10.0.0.1",
    "addr": "10.0.0.1", "value": "1", "num": 5, "uid": 0, "gid": 0, "version": "1.0", "pkg": "bash", "module": "test", "grain": "os", "iface": "lo",
    "interface": "lo", "filename": "/etc/passwd", "ip": "10.0.0.1", "val": "x", "minions": "web1", "regex": "ro+t", "fun": "test.ping", "flags": "",
    "find_pattern": "root", "obj_a": {"a": 1}, "obj_b": {"b": 2}, "lst": [1, 2], "file_": "/etc/passwd",
}  # fmt: skip


def main(config_dir, seed, count):
    logging.disable(logging.CRITICAL)
    opts = salt.config.minion_config(config_dir + "/minion")
    opts["conf_file"] = config_dir + "/minion"
    functions = salt.minion.SMinion(opts).functions
    names = sorted(functions["sys.list_functions"]())
    calls = []
    for name in names:
        module, _, fun = name.partition(".")
        if module in ELSEWHERE or MORE.search(name) or not READS.match(fun):
            continue
        spec = salt.utils.args.get_function_argspec(functions[name])
        needed = spec.args[: len(spec.args) - len(spec.defaults or ())]
        if all(arg in VALUES for arg in needed):
            calls.append((name, [VALUES[arg] for arg in needed]))
    drawn = sorted(random.Random(seed).sample(calls, min(count, len(calls))))
    answers = []
    for name, args in drawn:
        functions.pack["__context__"]["retcode"] = 0
        try:
            value = functions[name](*args)
            found = {"return": plain(salt.payload.loads(salt.payload.dumps(value)), config_dir)}
        except Exception as exc:
            found = {"raised": str(exc)}
        answers.append({"fun": name, "args": args, **found})
    json.dump({"names": names, "candidates": len(calls), "answers": answers}, sys.stdout)


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
