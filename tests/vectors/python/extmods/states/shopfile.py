"""
Manage files of the shop

.. code-block:: yaml

    /srv/shop.conf:
      shopfile.present:
        - contents: color = red
"""

import os

import salt.utils.files


def __virtual__():
    if "file.write" in __salt__:
        return True
    return (False, "file module could not be loaded")


def present(name, contents="", test_only=False, **kwargs):
    """Ensure that a file has some contents"""
    ret = {"name": name, "changes": {}, "result": True, "comment": ""}
    before = None
    if os.path.exists(name):
        with salt.utils.files.fopen(name) as handle:
            before = handle.read()
    if before == contents:
        ret["comment"] = "File {0} is in the correct state".format(name)
        return ret
    ret["changes"] = {"old": before, "new": contents}
    if __opts__["test"] or test_only:
        ret["result"] = None
        ret["comment"] = "File {0} would be written".format(name)
        return ret
    with salt.utils.files.fopen(name, "w") as handle:
        handle.write(contents)
    ret["comment"] = "File {0} was written".format(name)
    return ret


def absent(name):
    ret = {"name": name, "changes": {}, "result": True, "comment": "File {} is absent".format(name)}
    if os.path.exists(name):
        if __opts__["test"]:
            ret.update(result=None, changes={"removed": name})
        else:
            __salt__["file.remove"](name)
            ret["changes"] = {"removed": name}
    return ret
