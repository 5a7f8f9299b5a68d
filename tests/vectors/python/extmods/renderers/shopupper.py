import io


def render(data, *args, **kwargs):
    if hasattr(data, "read"):
        data = data.read()
    return io.StringIO("".join(line.replace("shout", __salt__["test.echo"]("SHOUT")) for line in data.splitlines(True)))
