a:
  test.nop
a2:
  test.nop:
    - require: {test: a}
b: test.nop.x
c:
  - test.nop
