app-migrate:
  cmd.run:
    - name: |
        set -e
        echo migrated {{ grains['id'] }} \
          >> {{ pillar.sandbox }}/var/migrations.log
    - cwd: {{ pillar.sandbox }}
    - env:
      - STAGE: {{ pillar.get('stage', 'none') }}
      - NUMBER: '1'
    - require:
      - sls: db
app-migration-failed:
  cmd.run:
    - name: echo failed
    - onfail:
      - cmd: app-migrate
    - onfail_stop: False
