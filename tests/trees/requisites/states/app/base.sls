base-one:
  test.nop
base-two:
  test:
    - nop
    - require: [{test: base-one}]
    - use: [{test: base-three}]
base-three:
  test.configurable_test_state:
    - changes: False
    - comment: used
    - retry: {attempts: 2, interval: 0, until: True}
