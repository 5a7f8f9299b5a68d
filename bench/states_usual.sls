{% set settings = {'group': 'staff', 'home': '/home'} %}
{% macro home(name) -%}
{{ settings.home }}/{{ name }}
{%- endmacro %}
{% if grains.os == 'Debian' %}
base_packages:
  test.succeed_without_changes:
    - names: {{ grains.roles | map('upper') | list | tojson }}
{% endif %}
{% for name, user in pillar.users.items() %}
{{ name }}:
  user.present:
    - uid: {{ user.uid }}
    - home: {{ home(name) }}
    - shell: {{ user.get('shell', '/bin/bash') }}
    - groups:
{%- for group in user.groups + [settings.group] %}
      - {{ group | lower }}
{%- endfor %}
{%- if loop.first %}
    - fullname: {{ "%s of %d" | format(name, loop.length) }}
{%- endif %}
{% endfor %}
{% if 'web' in grains.roles and 'db' is defined %}web: {}{% else %}none: {}{% endif %}
