sandbox: {{ opts.get('formulas_sandbox', '/tmp/brine-formulas') }}
stage: test
system: False
extra_states: [archive, git, system]
formulas: [common, web, db]
environment: {LANG: C.UTF-8, BRINE: 'yes', COUNT: 3}
ssh:
  port: 2222
  banner: |
    Authorized use only.
logrotate: {keep: 8}
cache: {megabytes: 128}
hosts: {10.1.0.3: [cache1]}
