schema:
  test.configurable_test_state:
    - changes: {{ salt['pillar.get']('db:migrate', False) }}
    - result: True
    - comment: schema of {{ grains.id }}
