{%- load_yaml as entries %}
10.1.0.1: [gateway, gw]
10.1.0.2:
  - db1
  - db1.example.com
{%- endload %}
{%- set all = salt['slsutil.merge'](entries, pillar.get('hosts', {})) %}
{%- for ip, names in all.items() %}
hosts-{{ ip | replace('.', '-') }}:
  file.keyvalue:
    - name: {{ pillar.sandbox }}/etc/hosts
    - key: {{ ip }}
    - value: {{ names | join(' ') }}
    - separator: ' '
    - append_if_not_found: True
    - require: [{file: hosts-file}]
{%- endfor %}
hosts-file:
  file.managed:
    - name: {{ pillar.sandbox }}/etc/hosts
    - replace: false
    - makedirs: true
    - order: 1
