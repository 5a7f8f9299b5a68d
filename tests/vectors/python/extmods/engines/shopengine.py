"""
Send what happens to a file

.. code-block:: yaml

    engines:
      - shopengine:
          path: /tmp/x
          count: 2
"""

import logging
import os

import salt.utils.event
import salt.utils.files

log = logging.getLogger(__name__)


def __virtual__():
    return True


def start(path, count=1, tag="shop/engine"):
    """Fires some events, writes what it hears, and ends"""
    if __opts__["__role"] == "master":
        event_bus = salt.utils.event.get_master_event(__opts__, __opts__["sock_dir"], listen=True)
    else:
        event_bus = salt.utils.event.get_event("minion", opts=__opts__, sock_dir=__opts__["sock_dir"], listen=True)
    with salt.utils.files.fopen(path, "a") as handle:
        handle.write("started {} {}\n".format(__opts__["__role"], __salt__["test.echo"]("x")))
    with salt.utils.files.fopen(path + ".pid", "w") as handle:
        handle.write(str(os.getpid()))
    for n in range(count):
        event_bus.fire_event({"n": n}, "{}/{}".format(tag, n))
    while True:
        event = event_bus.get_event(wait=1, full=True, tag="shop/say")
        if event is None:
            continue
        with salt.utils.files.fopen(path, "a") as handle:
            handle.write("heard {} {}\n".format(event["tag"], event["data"].get("word")))
        if event["data"].get("word") == "stop":
            return
