include:
  - .base
  - app.service
extend:
  service:
    test:
      - watch:
        - test: config
  base-one:
    test.nop:
      - require_in: [{sls: app.service}]
config:
  test.succeed_with_changes:
    - onchanges_in:
      - test: notify
    - require:
      - base-one
notify:
  test.succeed_with_changes:
    - names:
      - notify-b: [{order: 3}]
      - notify-a
last:
  test.nop: [{order: last}]
first:
  test.nop: [{order: first}]
cleanup:
  test.nop:
    - onfail: [{test: fails}]
before:
  test.succeed_with_changes:
    - prereq:
      - test: config
