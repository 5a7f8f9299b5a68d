#!shopupper|yaml
said:
  test.configurable_test_state:
    - changes: False
    - result: True
    - comment: shout
