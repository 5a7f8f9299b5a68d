#!py
def run():
    return {"coded": {"id": __opts__["id"], "os": __grains__["os"], "echo": __salt__["test.echo"]("pillar")}}
