grouped-state:
  test.nop:
    - name: grouped {{ saltenv }} {{ sls }}
