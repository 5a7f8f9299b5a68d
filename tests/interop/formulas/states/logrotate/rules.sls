logrotate-main:
  file.managed:
    - name: {{ pillar.sandbox }}/etc/logrotate.conf
    - contents: replaced
    - require:
      - test: logrotate-checked
logrotate-checked:
  test.nop: []
{% set rules = [('syslog', 7), ('auth', 30), ('web', 14)] -%}
{% for name, days in rules %}
logrotate-{{ name }}:
  file.managed:
    - name: {{ pillar.sandbox }}/etc/logrotate.d/{{ name }}
    - makedirs: true
    - contents: "{{ pillar.sandbox }}/var/log/{{ name }}.log { rotate {{ days }} }"
    - prereq:
      - file: logrotate-main
{% endfor %}
