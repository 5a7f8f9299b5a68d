import another_library_that_nobody_has


def f():
    return 1
