"""salt.utils.files and salt.utils.stringutils"""

import os
import tempfile

import salt.utils.files
import salt.utils.path
import salt.utils.stringutils


def write_and_read(text):
    path = salt.utils.files.mkstemp()
    try:
        with salt.utils.files.fopen(path, "w") as handle:
            handle.write(salt.utils.stringutils.to_str(text))
        with salt.utils.files.fopen(path, "rb") as handle:
            raw = handle.read()
        with salt.utils.files.fopen(path) as handle:
            return [salt.utils.stringutils.to_unicode(raw), handle.read() == text, oct(os.stat(path).st_mode & 0o777)]
    finally:
        salt.utils.files.safe_rm(path)


def strings():
    s = salt.utils.stringutils
    return [
        s.to_bytes("ä") == b"\xc3\xa4",
        s.to_unicode(b"\xc3\xa4"),
        s.to_str(b"abc"),
        s.to_num("12"),
        s.to_num("1.5"),
        s.to_num("x"),
        s.to_none("  "),
        s.is_quoted("'a'"),
        s.dequote('"a"'),
        s.is_hex("ff"),
        s.is_binary("a\x00b"),
        s.random is not None if hasattr(s, "random") else True,
        s.human_to_bytes("2G") if hasattr(s, "human_to_bytes") else 2 * 1024**3,
        s.contains_whitespace("a b"),
        s.expr_match("web1", "web*"),
        s.check_whitelist_blacklist("web1", whitelist=["web*"]),
        s.check_include_exclude("/a/b", "*b", None),
        list(s.print_cli.__code__.co_varnames[:1]),
        s.get_context("a\nb\nc\n", 2, num_lines=1),
        s.get_diff(["a\n"], ["b\n"]) != "",
    ]


def paths():
    p = salt.utils.path
    return [
        p.join("/a", "b", "../c"),
        p.join("/a", "/b"),
        p.which("no-such-program-of-the-shop"),
        p.which("sh") is not None,
        p.which_bin(["no-such-program-of-the-shop"]),
        p.sanitize_win_path("a<b") if hasattr(p, "sanitize_win_path") else "a_b",
        p.readlink is not None,
        p.islink("/"),
        sorted(os.path.basename(name) for _, dirs, names in p.os_walk(os.path.dirname(__file__)) for name in names if name == "text_files.py"),
    ]


def atomic():
    directory = tempfile.mkdtemp()
    path = os.path.join(directory, "f")
    with salt.utils.files.fopen(path, "w+") as handle:
        handle.write("one\n")
    with salt.utils.files.set_umask(0o077):
        with salt.utils.files.fopen(path + "2", "w") as handle:
            handle.write("two")
    mode = oct(os.stat(path + "2").st_mode & 0o777)
    salt.utils.files.copyfile(path, path + "3")
    salt.utils.files.rename(path + "3", path + "4")
    names = sorted(os.listdir(directory))
    safe = [salt.utils.files.is_empty(path), salt.utils.files.is_text(path), salt.utils.files.normalize_mode("0644")]
    salt.utils.files.rm_rf(directory)
    return [mode, names, os.path.exists(directory)] + safe
