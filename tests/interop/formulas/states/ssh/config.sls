{%- set tplroot = tpldir.split('/')[0] %}
{%- from 'lib/map.jinja' import settings with context %}
{%- set ssh = settings(tplroot) | load_json %}
ssh-config:
  file.managed:
    - name: {{ pillar.sandbox }}/etc/ssh/sshd_config
    - makedirs: True
    - contents: |
        Port {{ ssh.port }}
        {%- for key, value in ssh.options.items() %}
        {{ key }} {{ value | join(' ') if value is iterable and value is not string else value }}
        {%- endfor %}

ssh-banner:
  file.managed:
    - name: {{ pillar.sandbox }}/etc/ssh/banner
    - contents_pillar: ssh:banner
    - makedirs: True
    - use:
      - file: ssh-config
