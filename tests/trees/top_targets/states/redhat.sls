redhat-state:
  test.nop:
    - name: redhat {{ saltenv }} {{ sls }}
