{%- set tplroot = tpldir.split('/')[0] %}
{%- from 'lib/map.jinja' import settings with context %}
{%- set ssh = settings(tplroot) | load_json %}
include:
  - {{ tplroot }}.config
  - {{ tplroot }}.keys

ssh-service:
  test.configurable_test_state:
    - name: {{ ssh.service }}
    - changes: False
    - result: True
    - watch:
      - file: ssh-config
    - listen:
      - file: ssh-banner
