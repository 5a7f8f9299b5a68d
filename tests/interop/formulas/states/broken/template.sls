x:
  test.nop:
    - v: {{ pillar.nope.deeper }}
