{% if pillar.get('system') %}
system-group:
  group.present:
    - name: brineops
    - system: True
system-cron:
  cron.env_present:
    - name: MAILTO
    - value: ops@example.com
    - user: root
system-host:
  host.present:
    - ip: 10.1.2.3
    - names:
      - formulas.example.com
      - formulas
{% else %}
system-skipped: test.nop
{% endif %}
