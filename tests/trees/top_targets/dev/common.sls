common-dev:
  test.nop:
    - order: last
