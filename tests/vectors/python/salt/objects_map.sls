#!pyobjects
class Shelf(Map):
    class ShopOS:
        __grain__ = "os"
        server = "wood"

    class Debian:
        server = "steel"
