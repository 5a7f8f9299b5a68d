def triple(n):
    return n * 3
