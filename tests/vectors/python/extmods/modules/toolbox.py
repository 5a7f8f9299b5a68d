"""salt.utils.args, versions, hashutils, platform, user, network"""

import socket

import salt.utils.args
import salt.utils.hashutils
import salt.utils.network
import salt.utils.platform
import salt.utils.user
import salt.utils.versions
import salt.version
from salt.utils.versions import LooseVersion


def _sample(a, b=2, *args, **kwargs):
    pass


def arguments(**kwargs):
    a = salt.utils.args
    spec = a.get_function_argspec(_sample)
    return [
        sorted(a.clean_kwargs(**kwargs)),
        a.split_input("a,b, c"),
        a.shlex_split("a 'b c'"),
        a.yamlify_arg("[1, 2]"),
        a.yamlify_arg("a: b"),
        a.arg_lookup(_sample),
        [list(spec.args), list(spec.defaults), spec.varargs, spec.keywords],
        a.parse_input(["a", "b=1", "c={d: 2}"], condition=False)[0],
        a.condition_input(["1"], {"k": "v"})[0],
        a.format_call(_sample, {"a": 1, "b": 3, "z": 4}, is_class_method=False) is not None,
        a.test_mode(test=True),
        a.test_mode(),
    ]


def invalid(**kwargs):
    salt.utils.args.invalid_kwargs(salt.utils.args.clean_kwargs(**kwargs))


def versions():
    v = salt.utils.versions
    return [
        v.version_cmp("1.2", "1.10"),
        v.version_cmp("2.0", "2.0"),
        v.compare("1.0", ">=", "0.9"),
        v.compare(ver1="1.0", oper="==", ver2="1.0.0"),
        LooseVersion("1.5.2b2") < LooseVersion("1.5.10"),
        v.StrictVersion("1.0") == v.StrictVersion("1.0") if hasattr(v, "StrictVersion") else True,
        v.parse("1.2") < v.parse("1.10") if hasattr(v, "parse") else True,
        salt.version.SaltStackVersion.from_name("Sulfur").major,
        salt.version.SaltStackVersion.parse("3006.1") < salt.version.SaltStackVersion.parse("3007.0"),
        int(salt.version.__version_info__[0]) >= 3006,
    ]


def hashes():
    h = salt.utils.hashutils
    return [
        h.md5_digest("abc"),
        h.sha256_digest("abc"),
        h.sha512_digest("abc")[:8],
        h.base64_b64encode("abc"),
        h.base64_b64decode("YWJj"),
        h.base64_encodestring("abc"),
        h.base64_decodestring("YWJj\n"),
        h.hmac_signature("a", "b", "x") if False else True,
        h.random_hash() != h.random_hash(),
        len(h.random_hash(10, "md5")),
        h.get_hash(__file__, "md5") == h.get_hash(__file__, "md5"),
    ]


def platforms():
    p = salt.utils.platform
    return [p.is_linux(), p.is_windows(), p.is_darwin(), p.is_proxy(), p.is_freebsd(), p.is_smartos(), p.is_sunos(), p.is_aix()]


def users():
    u = salt.utils.user
    return [
        u.get_user(),
        u.get_uid("root"),
        u.get_uid(),
        u.get_default_group("root"),
        u.get_group_list("root")[:1],
        u.get_gid("root"),
        u.get_group_dict("root")["root"],
        u.chugid_and_umask.__name__,
        u.get_specific_user() in ("root", "sudo_root"),
    ]


def network():
    n = salt.utils.network
    return [
        n.is_ip("10.0.0.1"),
        n.is_ipv4("::1"),
        n.is_ipv6("::1"),
        n.is_loopback("127.0.0.1"),
        n.ip_bracket("::1"),
        n.cidr_to_ipv4_netmask(24),
        n.parse_host_port("host:80"),
        n.parse_host_port("[::1]:80")[1],
        n.natural_ipv4_netmask("10.1.2.3"),
        n.ipaddr is not None if hasattr(n, "ipaddr") else True,
        n.in_subnet("127.0.0.0/8"),
        n.is_reachable_host("127.0.0.1"),
        socket.gethostname() == n.get_fqhostname() or True,
        "127.0.0.1" in n.ip_addrs(include_loopback=True),
        "lo" in n.interfaces(),
        n.is_private("10.0.0.1") if hasattr(n, "is_private") else True,
        n.mac_str_to_bytes("00:11:22:33:44:55") == b"\x00\x11\x22\x33\x44\x55" if hasattr(n, "mac_str_to_bytes") else True,
    ]
