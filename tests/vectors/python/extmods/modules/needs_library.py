try:
    import a_library_that_nobody_has

    HAS_LIB = True
except ImportError:
    HAS_LIB = False

__virtualname__ = "libshop"


def __virtual__():
    if not HAS_LIB:
        return False, "needs_library: a_library_that_nobody_has is not installed"
    return __virtualname__


def f():
    return a_library_that_nobody_has.f()
