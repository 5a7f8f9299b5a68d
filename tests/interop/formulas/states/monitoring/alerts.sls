{%- set levels = {'warn': 80, 'crit': 95} -%}
{%- set rules = {} -%}
{%- for what in ['disk', 'memory'] -%}
  {%- for level, value in levels.items() -%}
    {%- do rules.update({what ~ '_' ~ level: value if what != 'memory' else value - 5}) -%}
  {%- endfor -%}
{%- endfor %}
monitoring-alerts:
  file.managed:
    - name: {{ pillar.sandbox }}/etc/alerts.yaml
    - contents: {{ rules | yaml(False) | json }}
  event.send:
    - name: brine/alerts
    - data: {{ rules }}
    - onchanges: [{file: monitoring-alerts}]
