# -*- coding: utf-8 -*-
'''
Parts of the package by attributes
'''
from __future__ import absolute_import

import types

from salt import utils
import salt.utils.path
import salt.utils.data
from salt.exceptions import CommandExecutionError

__virtualname__ = 'shop_parts'


def __virtual__():
    if not utils.path.which('sh'):
        return False
    if 'test.echo' in __salt__:
        return __virtualname__
    return False, 'test could not be loaded'


def _base(name, sizes=(1, 2)):
    return [name, __grains__['os'], list(sizes)]


base = types.FunctionType(_base.__code__, globals(), 'base', _base.__defaults__)


def compared(old, new):
    __context__.pop('shop_parts.list', None)
    changed = salt.utils.data.compare_dicts(old, new)
    if len(changed) > 2:
        raise CommandExecutionError('Too much has changed', info={'errors': ['too much'], 'changes': changed})
    return changed


def pairs(data):
    return sorted('{0}={1}'.format(key, value) for key, value in data.items())


def listed(verbose=True):
    users = {} if verbose else []
    out = __salt__['cmd.run_all']('printf "Name: ann\\nRoom: 7\\n---\\nName: bob\\n"', python_shell=True)
    if out['retcode'] > 0:
        raise CommandExecutionError(out['stderr'] if 'stderr' in out else out['stdout'])
    data = {}
    for line in out['stdout'].splitlines() + ['-']:
        if line.startswith('-'):
            if verbose and data:
                users[data['name']] = data
            elif data:
                users.append(data['name'])
            data = {}
        else:
            label = line[:line.index(':')].strip().lower()
            data[label] = line[line.index(':') + 1:].strip()
    return users


def words(*args):
    quoted = ' '.join(map(lambda x: x if ' ' not in x else '"%s"' % x, args))
    return __salt__['cmd.run']('printf "[%s]" ' + quoted, python_shell=True)
