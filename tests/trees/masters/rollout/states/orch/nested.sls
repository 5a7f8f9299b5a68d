inner:
  salt.runner:
    - name: state.orchestrate
    - mods: orch.high
no-runner:
  salt.runner:
    - name: nosuch.runner
dry:
  salt.state:
    - tgt: db1
    - sls: site.db
    - test: True
    - pillar: {db: {migrate: true}}
