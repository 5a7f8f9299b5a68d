x:
  test.nop:
    - require: y
y:
  test.nop:
    - watch_in: [{file: nope}]
