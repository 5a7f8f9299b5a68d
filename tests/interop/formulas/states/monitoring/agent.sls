monitoring-config:
  file.managed:
    - name: {{ pillar.sandbox }}/etc/monitoring.conf
    - template: jinja
    - source: salt://monitoring/files/agent.conf
    - makedirs: True
monitoring-agent:
  test.nop:
    - name: agent
    - watch_any: [{file: monitoring-config}]
