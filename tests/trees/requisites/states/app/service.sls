include:
  - app
service:
  test.nop:
    - name: service of {{ sls }}
    - listen: [{test: config}]
fails:
  test.fail_without_changes:
    - require_any: [{test: base-one}, {test: base-two}]
    - failhard: False
after-fail:
  test.nop:
    - require: [{test: fails}]
always:
  cmd.run:
    - name: echo done
    - onlyif: [test -d /, {fun: test.true}]
    - unless: "false"
    - creates: /nonexistent/file
    - require: [{sls: app.base}]
