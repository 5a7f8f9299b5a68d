"""Digests."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
from typing import Any

from salt.utils.stringutils import to_bytes, to_unicode


def base64_b64encode(instr: Any) -> str:
    return base64.b64encode(to_bytes(instr)).decode()


def base64_b64decode(instr: Any) -> Any:
    data = base64.b64decode(to_bytes(instr))
    try:
        return to_unicode(data)
    except UnicodeError:
        return data


def base64_encodestring(instr: Any) -> str:
    return base64.encodebytes(to_bytes(instr)).decode()


def base64_decodestring(instr: Any) -> Any:
    data = base64.decodebytes(to_bytes(instr))
    try:
        return to_unicode(data)
    except UnicodeError:
        return data


def md5_digest(instr: Any) -> str:
    return hashlib.md5(to_bytes(instr)).hexdigest()


def sha1_digest(instr: Any) -> str:
    return hashlib.sha1(to_bytes(instr)).hexdigest()


def sha256_digest(instr: Any) -> str:
    return hashlib.sha256(to_bytes(instr)).hexdigest()


def sha512_digest(instr: Any) -> str:
    return hashlib.sha512(to_bytes(instr)).hexdigest()


def hmac_signature(string: Any, shared_secret: Any, challenge_hmac: Any) -> bool:
    made = hmac.new(to_bytes(shared_secret), to_bytes(string), hashlib.sha256).digest()
    return hmac.compare_digest(base64.b64encode(made), to_bytes(challenge_hmac))


def hmac_compute(string: Any, shared_secret: Any) -> str:
    return hmac.new(to_bytes(shared_secret), to_bytes(string), hashlib.sha256).hexdigest()


def random_hash(size: int = 9999999999, hash_type: str = "sha256") -> str:
    return hashlib.new(hash_type, os.urandom(32)).hexdigest()


def get_hash(path: str, form: str = "sha256", chunk_size: int = 65536) -> str:
    digest = hashlib.new(form)
    with open(path, "rb") as file:
        for chunk in iter(lambda: file.read(chunk_size), b""):
            digest.update(chunk)
    return digest.hexdigest()
