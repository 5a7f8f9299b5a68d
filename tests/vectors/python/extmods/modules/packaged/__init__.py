"""A package with parts"""

from .parts import double, _secret
from . import parts

import os.path
from os.path import basename


def f(n):
    return double(n) + parts.ONE


def path():
    return basename(__file__)


def secret():
    return _secret()
