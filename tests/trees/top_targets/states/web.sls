web-state:
  test.nop:
    - name: web {{ saltenv }} {{ sls }}
