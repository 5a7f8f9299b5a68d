common-state:
  test.nop:
    - name: common {{ saltenv }} {{ sls }}
