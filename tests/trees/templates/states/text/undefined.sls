a:
  test.nop: [{name: {{ missing.attribute }}}]
