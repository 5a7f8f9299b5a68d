{%- set includes = ['config', 'deploy', 'migrate'] %}
include:
{%- for name in includes %}
  - .{{ name }}
{%- endfor %}
  - db
