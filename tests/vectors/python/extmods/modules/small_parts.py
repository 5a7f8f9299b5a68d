"""Small parts of salt.utils that modules import"""

import os
import tempfile
import xml.etree.ElementTree as ET

import salt.utils.cache
import salt.utils.locales
import salt.utils.timed_subprocess
import salt.utils.url
import salt.utils.validate.net
import salt.utils.validate.path
import salt.utils.xmlutil
from salt.exceptions import TimedProcTimeoutError


def urls():
    u = salt.utils.url
    return [
        u.parse("salt://a/b.txt?saltenv=dev"),
        u.create("a/b.txt", "dev"),
        u.create("a/b.txt"),
        u.is_escaped("salt://|a"),
        u.escape("salt://a?b"),
        u.unescape("salt://|a?b"),
        u.split_env("salt://a?saltenv=qa"),
        u.add_env("salt://a", "qa"),
        u.validate("http://x", ["http", "https"]),
        u.strip_proto("http://x/y"),
        u.redact_http_basic_auth("http://u:p@host/x"),
        u.add_http_basic_auth("https://host/x", user="u", password="p"),
    ]


def checks():
    n = salt.utils.validate.net
    return [
        n.mac("00:11:22:33:44:55"),
        n.mac("nope"),
        n.ipv4_addr("10.0.0.1"),
        n.ipv4_addr("10.0.0.256"),
        n.ipv6_addr("::1"),
        n.ip_addr("x"),
        n.netmask("255.255.255.0"),
        n.netmask("255.0.255.0"),
        salt.utils.validate.path.is_writeable("/"),
        salt.utils.validate.path.is_readable("/etc/passwd"),
        salt.utils.validate.path.is_executable("/bin/sh"),
    ]


def xml():
    tree = ET.fromstring("<a x='1'><b>t</b><b>u</b><c><d/></c></a>")
    return [salt.utils.xmlutil.to_dict(tree), salt.utils.xmlutil.to_dict(tree, True)]


def locales():
    loc = salt.utils.locales
    return [loc.split_locale("de_DE.UTF-8@euro utf8"), loc.join_locale(loc.split_locale("en_US.utf8")), loc.normalize_locale("en_us.UTF-8")]


def processes():
    done = salt.utils.timed_subprocess.TimedProc(["sh", "-c", "echo out; exit 3"], stdout=-1, stderr=-1)
    done.run()
    found = [done.stdout.decode(), done.process.returncode]
    slow = salt.utils.timed_subprocess.TimedProc(["sleep", "30"], timeout=0.2, stdout=-1)
    try:
        slow.run()
    except TimedProcTimeoutError as exc:
        found.append(str(exc))
    return found


def caches():
    with tempfile.TemporaryDirectory() as directory:
        disk = salt.utils.cache.CacheDisk(60, os.path.join(directory, "c.p"))
        disk["a"] = {"b": 1}
        again = salt.utils.cache.CacheDisk(60, os.path.join(directory, "c.p"))
        memory = salt.utils.cache.CacheFactory.factory("memory", 10)
        memory["x"] = 1
        return [again["a"], "a" in again, "z" in again, memory["x"]]
