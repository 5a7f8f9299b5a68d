check-first:
  test.succeed_with_changes:
    - order: 50
check-watch:
  test.nop:
    - watch: [check-first]
check-use:
  test.configurable_test_state:
    - use: [{test: check-template}]
check-template:
  test.configurable_test_state:
    - changes: False
    - result: True
    - comment: used
check-in:
  test.nop:
    - require_in:
      - check-watch
      - test: check-template
    - watch_in: {test: check-use}
check-negative:
  test.nop:
    - order: -5
check-text:
  test.nop:
    - order: last
