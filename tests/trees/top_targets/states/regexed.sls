regexed-state:
  test.nop:
    - name: regexed {{ saltenv }} {{ sls }}
