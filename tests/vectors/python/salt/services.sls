config:
  test.succeed_with_changes: []

shop:
  shopservice.running:
    - enable: True
    - watch_action: reload
    - color: blue
    - watch:
      - test: config

bakery:
  shopservice.running:
    - watch:
      - test: config

closed:
  shopservice.dead:
    - onchanges:
      - test: config

stuck:
  shopservice.dead:
    - fails: True
    - onfail:
      - shopservice: bakery

inner:
  shopservice.nested:
    - require:
      - shopservice: closed

later:
  shopservice.pending:
    - changes: {a: {old: 1, new: 2}}
    - warnings: [be careful]
    - prereq:
      - shopservice: last

last:
  shopservice.pending:
    - changes: {b: 1}
