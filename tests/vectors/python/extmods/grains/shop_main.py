#!/usr/bin/env python
def main():
    return dict(shop_main="main")


if __name__ == "__main__":
    print(main())
