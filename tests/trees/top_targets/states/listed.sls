listed-state:
  test.nop:
    - name: listed {{ saltenv }} {{ sls }}
