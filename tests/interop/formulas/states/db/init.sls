include: [.server, .databases]
db-ready:
  test.nop:
    - require_any:
      - file: db-data
      - test: db-*
