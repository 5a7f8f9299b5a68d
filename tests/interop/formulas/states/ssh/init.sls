{%- set tplroot = tpldir.split('/')[0] %}
{%- from 'lib/map.jinja' import settings with context %}
{%- set ssh = settings(tplroot) | load_json %}
include:
  - {{ tplroot }}.config
  - {{ tplroot }}.keys

ssh-service:
  test.nop:
    - name: {{ ssh.service }}
    - watch:
      - file: ssh-config
    - listen:
      - file: ssh-banner
