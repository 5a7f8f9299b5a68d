include: ['.rules']
extend:
  logrotate-main:
    file:
      - contents: |
          weekly
          rotate {{ salt['pillar.get']('logrotate:keep', 4) }}
      - require:
        - test: logrotate-start
logrotate-start: test.nop
