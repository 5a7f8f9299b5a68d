tiered-state:
  test.nop:
    - name: tiered {{ saltenv }} {{ sls }}
