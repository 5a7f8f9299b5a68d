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
#: Functions that read, whose names do not say so.
ALSO = set(
    "alternatives.display btrfs.features btrfs.subvolume_exists chroot.in_chroot config.backup_mode config.dot_vals config.option cp.stat_file "
    "cryptdev.crypttab data.keys data.load disk.blkid dnsmasq.fullversion dnsutil.A dnsutil.AAAA dnsutil.serial file.directory_exists "
    "file.file_exists file.gid_to_group file.pardir file.path_exists_glob file.sed_contains file.uid_to_user genesis.avail_platforms "
    "grains.equals grains.fetch incron.raw_incron introspect.running_service_owners jinja.import_json jinja.import_yaml jinja.load_map "
    "kernelpkg.latest_installed kernelpkg.needs_reboot key.finger key.finger_master kmod.lsmod kmod.mod_list lowpkg.bin_pkg_info "
    "match.ifelse mount.automaster mount.filesystems mount.vfstab network.arp network.default_route "
    "network.fqdns network.ifacestartswith network.in_subnet network.interface network.interface_ip network.interfaces network.mod_bufsize "
    "network.routes network.ip_addrs network.ip_addrs6 pillar.data pillar.fetch pillar.keys pillar.obfuscate pillar.raw "
    "pkg.latest_version pkg.normalize_name pkg.owner postgres.cluster_exists "
    "rsync.config salt_version.equal salt_version.greater_than salt_version.less_than schedule.build_schedule_item service.execs service.masked "
    "service.offline shadow.default_hash slsutil.banner slsutil.boolstr slsutil.dir_exists slsutil.file_exists slsutil.path_exists "
    "sqlite3.fetch sqlite3.indexes sqlite3.indices sqlite3.sqlite_version sqlite3.tables ssh.auth_keys ssh.host_keys ssh.key_is_encrypted "
    "ssh.user_keys state.test supervisord.options sysctl.assign sysctl.default_config sysfs.attr test.conf_test test.exception test.false "
    "test.provider test.raise_exception test.retcode test.true test.try test.tty user.primary_group xfs.devices xfs.inventory "
    "mount.read_mount_cache state.get_pauses state.show_highstate state.show_lowstate state.show_state_usage state.show_top timezone.get_offset "
    "timezone.get_zonecode iosconfig.diff_text iosconfig.merge_text iosconfig.diff_tree iosconfig.merge_tree iosconfig.merge_diff "
    "highstate_doc.read_file mine.valid saltutil.is_running status.version vsphere.get_proxy_type kubeadm.version system.get_system_date".split()
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
    "uri": "salt://a", "keys": ["PATH"], "mode": "r", "file_hash": "md5:1", "glob_expr": "*root*", "file1": "/etc/passwd", "file2": "/etc/group",
    "dest": {"a": {"b": 1}}, "src": {"a": {"c": 2}}, "cwd": "/", "lookup_dict": {"default": {"a": 1}}, "lookup": {"default": ["*"]}, "alias": "localhost",
    "file_name": "/etc/os-release", "section": "a", "option": "b", "mod": "ext4", "tgt": "web1", "cmd": "sh", "repo": "deb http://a b c",
    "pkg1": "1.0", "pkg2": "2.0", "pkgname": "bash", "pkgver": "1.0", "verstr": "1:2.0-1", "ver1": "1.0", "oper": "<", "ver2": "2.0", "fname": "/etc/passwd",
    "infile": "/etc/passwd", "returner": "local", "jid": "20240101000000000000", "mods": "none", "dev": "/dev/null", "device": "/dev/null",
    "file": "/etc/passwd", "element": "a", "db": ":memory:", "table": "a", "index": "1", "profile": "none", "obj1": 1, "obj2": 2, "size": 1,
    "bytes_": 1, "gids": [0], "dir": "/etc", "directory": "/etc", "match": "*", "iface_name": "lo", "source": "/etc/passwd", "default": "x", "code": 1,
    "candidate_text": "a", "running_text": "b", "alias_name": "localhost", "config_file": "/etc/passwd", "conf": "/etc/passwd", "attr": "size",
    "level": "3", "runas": "root", "items": [1], "args": [], "sep": ",", "delimiter": ":", "shell": "/bin/sh", "sls": "none", "driver": "a",
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
        if name not in ALSO and (module in ELSEWHERE or MORE.search(name) or not READS.match(fun)):
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
