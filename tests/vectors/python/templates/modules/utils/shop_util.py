from salt.utils.decorators.jinja import jinja_filter


@jinja_filter("util_filter")
def marked(value):
    return f"util {value}"
