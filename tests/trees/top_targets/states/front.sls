front-state:
  test.nop:
    - name: front {{ saltenv }} {{ sls }}
