{%- from tpldir ~ "/map.jinja" import demo with context %}
include:
  - {{ tpldir.split('/')[0] }}.base
{% for name, user in demo.get('users', {}).items() %}
demo-user-{{ name }}:
  test.configurable_test_state:
    - changes: {{ 'shell' in user }}
    - result: True
    - comment: {{ (name ~ ' ' ~ user.uid) | yaml_encode }}
    - require:
      - test: demo-base
{% endfor %}
