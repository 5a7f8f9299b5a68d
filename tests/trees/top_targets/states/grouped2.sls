grouped2-state:
  test.nop:
    - name: grouped2 {{ saltenv }} {{ sls }}
