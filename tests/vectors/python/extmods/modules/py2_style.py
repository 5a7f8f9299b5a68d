# -*- coding: utf-8 -*-
# Import Python libs
from __future__ import absolute_import, unicode_literals, print_function
import os
import sys

# Import third party libs
try:
    from salt.ext import six
except ImportError:
    six = None

# Import Salt libs
import salt.utils

try:
    import salt.utils.compat
except ImportError:
    pass

if six is None or six.PY3:
    string_types = (str,)
else:
    string_types = (basestring,)  # noqa: F821


def f(name):
    return [isinstance(name, string_types), "%s" % name, sys.version_info[0]]


def items(mapping):
    return sorted("{0}={1}".format(k, v) for k, v in mapping.items())
