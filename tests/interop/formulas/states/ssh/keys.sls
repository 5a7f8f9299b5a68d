{%- for name, user in pillar.get('users', {}).items() if user.get('keys') %}
ssh-keys-{{ name }}:
  file.managed:
    - name: {{ pillar.sandbox }}/home/{{ name }}/.ssh/authorized_keys
    - mode: '0600'
    - dir_mode: '0700'
    - makedirs: True
    - contents: {{ user['keys'] | json }}
    - require:
      - sls: common.users
{%- else %}
no-ssh-keys: test.nop
{%- endfor %}
