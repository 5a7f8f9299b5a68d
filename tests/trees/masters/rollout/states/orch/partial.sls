refuses:
  salt.state:
    - tgt: 'web*'
    - sls: site.one_fails
allows:
  salt.state:
    - tgt: 'web*'
    - sls: site.one_fails
    - allow_fail: 1
forgives:
  salt.state:
    - tgt: 'web*'
    - sls: site.one_fails
    - fail_minions: web2
    - onfail: [{salt: refuses}]
nobody:
  salt.state:
    - tgt: 'mail*'
    - sls: site.web
nobody-is-asked:
  salt.function:
    - name: test.ping
    - tgt: 'mail*'
unknown:
  salt.function:
    - name: nosuch.function
    - tgt: db1
false-return:
  salt.function:
    - name: test.false
    - tgt: 'web*'
after-the-failures:
  test.nop:
    - require_any: [{salt: refuses}, {salt: allows}]
