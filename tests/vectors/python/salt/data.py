#!py
def run():
    return [__grains__["os"], __salt__["test.echo"](1), saltenv]
