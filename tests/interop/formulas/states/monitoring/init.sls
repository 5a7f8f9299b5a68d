{%- set checks = ['disk', 'load', 'memory'] %}
include:
  - monitoring.agent
  - monitoring.alerts
{% for check in checks %}
monitoring-{{ check }}:
  file.accumulated:
    - filename: {{ pillar.sandbox }}/etc/monitoring.conf
    - text: "check {{ check }}"
    - require_in: [{file: monitoring-config}]
{% endfor %}
