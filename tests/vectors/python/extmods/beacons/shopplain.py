def beacon(config):
    return [{"echo": __salt__["test.echo"](config), "os": __grains__["os"]}]
