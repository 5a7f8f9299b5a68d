# -*- coding: utf-8 -*-
'''
Needs a program, asked for as old releases did
'''
from __future__ import absolute_import

import salt.utils

__virtualname__ = 'which_of_old'


def __virtual__():
    if salt.utils.which('sh'):
        return __virtualname__
    return (False, '{0} needs sh'.format(__virtualname__))


def f():
    return True
