{% set ports = {'api': 8000, 'worker': none} %}
apps:
{% for name, port in ports.items() %}
  {{ name }}:
    port: {{ port | json }}
    env:
      NAME: {{ name | upper }}
      URL: http://{{ grains['fqdn'] }}{{ ':' ~ port if port }}/
    workers: {{ [grains.num_cpus * 2, 4] | min }}
{% endfor %}
