db-state:
  test.nop:
    - name: db {{ saltenv }} {{ sls }}
