x:
  test.nop:
    - v: {{ salt['test.no_such']() }}
