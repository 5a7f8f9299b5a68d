{% for id, item in salt['mine.get']('*', 'grains.item').items() %}
backend-{{ id }}:
  file.blockreplace:
    - name: {{ opts.cachedir }}/out/lb.conf
    - marker_start: '# {{ id }}'
    - marker_end: '# end {{ id }}'
    - content: server {{ item.id }} {{ item.os }}
    - append_if_not_found: True
    - require:
      - file: lb-conf
{% endfor %}
lb-conf:
  file.managed:
    - name: {{ opts.cachedir }}/out/lb.conf
    - makedirs: True
    - replace: False
    - contents:
{%- for name, address in pillar.get('hosts', {}).items() %}
      - {{ name }} {{ address }}
{%- endfor %}
