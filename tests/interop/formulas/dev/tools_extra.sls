tools-ready:
  test.nop: []
