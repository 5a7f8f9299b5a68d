def run():
    return "{} {} {} {}\n".format(context["word"], context["other"], grains["os"], salt["test.echo"]("t"))
