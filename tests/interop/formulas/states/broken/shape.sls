x:
  test.nop
  - name: y
