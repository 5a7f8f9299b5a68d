web:
  lookup: {workers: 4}
  sites:
    www.example.com:
      aliases: [example.com]
      tls: True
    api.example.com: {root: {{ opts.get('formulas_sandbox', '/tmp/brine-formulas') }}/srv/api}
db:
  databases: [shop, audit, mail]
  backup: {targets: [local, remote]}
app:
  current: 1.0.0
