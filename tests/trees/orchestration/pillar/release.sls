{% import_yaml 'versions.yaml' as versions %}
release:
  version: {{ versions.current }}
  hosts: [db1.example.com, web1.example.com]
  steps:
    - {name: stop, fun: test.nop, order: 1}
    - {name: migrate, tgt: 'G@roles:db', sls: [release.migrate, release.check]}
    - {name: start, tgt: 'web*', sls: release}
