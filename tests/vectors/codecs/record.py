"""What Python's str.encode and bytes.decode make of texts and bytes: python record.py > ../codecs.json (Python 3.11)."""
import codecs, encodings, json, pkgutil, sys

SKIPPED = {"aliases", "mbcs", "oem", "charmap", "idna", "punycode", "undefined", "utf_7", "unicode_escape", "raw_unicode_escape", "big5hkscs", "euc_jis_2004", "euc_jisx0213", "hz", "johab", "shift_jis_2004", "shift_jisx0213"}
names = sorted(m.name for m in pkgutil.iter_modules(encodings.__path__) if m.name not in SKIPPED and not m.name.startswith("iso2022"))
names = [n for n in names if codecs.lookup(n)._is_text_encoding]
aliases = ["UTF-8", "utf8", "U8", "ISO-8859-15", "latin-1", "L1", "latin9", "windows-1252", "Windows 1251", "KOI8-R", "macintosh", "SJIS", "euc-kr", "GBK", "cp936", "utf_16-le", "646", "us-ascii", "ibm037", "nope", "hex"]
TEXTS = ["", "abc", "süß", "5 €", "Привет", "日本語", "漢字", "한국어", "日本語 ‾¥〜−", "é\u0301", "😀", "\ufeffx", "a\udc80b", "Łódź", "שלום", "ΣΑΣ", "\x81\x9d", "ﾊﾝｶｸ"]
BYTES = [bytes(range(256))[i : i + 16] for i in range(0, 256, 16)] + [b"\xef\xbb\xbfx", b"\xff\xfea\x00", b"\xfe\xff\x00a", b"a\x00\x00", b"\x00\xd8a\x00", b"\xe3\x81", b"\x82\xa0x\x82", b"\xb0\xa1\xff", b"\x81\x30\x81\x30", b"caf\xe9 x"]


# Of these only what is valid is compared: where a sequence breaks off, and what an error says of it, is not the same.
PAIRS = {"big5", "cp932", "cp949", "cp950", "euc_jp", "euc_kr", "gb18030", "gb2312", "gbk", "shift_jis"}


def rows():
    for row in all_rows():
        if row[0] not in PAIRS:
            yield row
        elif row[2] == "encode" and row[1] in ("strict", "replace", "xmlcharrefreplace"):
            yield row[:5] + ["UnicodeEncodeError"] if row[4] is None else row
        elif row[2] == "decode" and row[1] == "strict" and row[4] is not None:
            yield row


def all_rows():
    for name in names + aliases:
        handlers = ["strict"]
        if name in ("ascii", "cp1252", "utf_8", "utf_16", "shift_jis", "latin_1"):
            handlers += ["replace", "ignore", "backslashreplace", "xmlcharrefreplace", "surrogateescape", "surrogatepass"]
        if name in ("ascii", "utf_8", "utf_16"):
            handlers += ["nope"]
        for errors in handlers:
            for text in TEXTS if name in names else TEXTS[2:4]:
                try:
                    yield [name, errors, "encode", text, text.encode(name, errors).hex()]
                except (UnicodeError, LookupError) as exc:
                    yield [name, errors, "encode", text, None, f"{type(exc).__name__}: {exc}"]
            if errors == "xmlcharrefreplace":
                continue
            for data in BYTES if name in names else BYTES[:1]:
                try:
                    yield [name, errors, "decode", data.hex(), data.decode(name, errors)]
                except (UnicodeError, LookupError) as exc:
                    yield [name, errors, "decode", data.hex(), None, f"{type(exc).__name__}: {exc}"]


json.dump({"generated_with": "tests/vectors/codecs/record.py, Python 3.11", "rows": list(rows())}, sys.stdout, separators=(",", ":"))
