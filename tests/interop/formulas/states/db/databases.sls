{%- import 'db/map.jinja' as m with context %}
{%- for name in m.db.databases %}
db-{{ name }}:
  test.configurable_test_state:
    - name: {{ name }}
    - changes: {{ loop.first }}
    - result: true
    - comment: {{ 'first' if loop.first else 'later' }}
    - require:
      - test: db-server
      {%- if not loop.first %}
      - test: db-{{ m.db.databases[loop.index0 - 1] }}
      {%- endif %}
{%- endfor %}
