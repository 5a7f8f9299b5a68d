{% from "users/map.jinja" import settings with context %}
{% for name, group in salt['pillar.get']('groups', {}) | dictsort %}
group-{{ name }}:
  group.{{ group.get('state', 'present') }}:
    - name: {{ name }}
    {%- if 'gid' in group %}
    - gid: {{ group.gid }}
    {%- endif %}
{% endfor %}
{% for name, user in pillar.get('users', {}).items() if user.absent is not defined or not user.absent -%}
{%- set home = user.get('home', settings.home ~ name) -%}
{%- set group = user.get('prime_group', name) -%}
users_{{ name }}_user:
  group.present:
    - name: {{ group }}
  user.present:
    - name: {{ name }}
    - home: {{ home }}
    - shell: {{ user.get('shell', settings.shell) }}
    {% if 'uid' in user -%}
    - uid: {{ user['uid'] }}
    {% endif -%}
    {% if 'password' in user -%}
    - password: '{{ user['password'] }}'
    {% endif -%}
    - enforce_password: {{ user.get('enforce_password', True) }}
    - createhome: {{ user.get('createhome', True) }}
    {% if 'fullname' in user %}
    - fullname: {{ user['fullname'] }}
    {% endif -%}
    - groups:
      - {{ group }}
      {% for other in user.get('groups', []) -%}
      - {{ other }}
      {% endfor %}
    - require:
      - group: users_{{ name }}_user
      {% for other in user.get('groups', []) -%}
      - group: group-{{ other }}
      {% endfor %}
{% if 'ssh_config' in user %}
users_ssh_config_{{ name }}:
  file.managed:
    - name: {{ opts.cachedir }}/out/{{ name }}/config
    - makedirs: True
    - contents: |
        # managed
        {% for label, setting in user.ssh_config.items() %}
        # {{ label }}
        Host {{ setting.hostname }}
          {%- for opts in setting.options %}
          {{ opts }}
          {%- endfor %}
        {% endfor -%}
{% endif %}
{% if 'sudo' in user %}
users_sudoer-{{ name }}:
  file.managed:
    - name: {{ opts.cachedir }}/out/sudoers/{{ name | replace('.', '_') }}
    - makedirs: True
    - replace: False
    - mode: '0440'
users_sudoers_{{ name }}:
  file.append:
    - name: {{ opts.cachedir }}/out/sudoers/{{ name }}
    - text:
      {%- for rule in user['sudo'] %}
      - "{{ name }} {{ rule }}"
      {%- endfor %}
    - require:
      - file: users_sudoer-{{ name }}
      - user: users_{{ name }}_user
{% endif %}
{%- if 'ssh_auth' in user %}
  {%- for auth in user['ssh_auth'] %}
users_ssh_auth_{{ name }}_{{ loop.index0 }}:
  test.nop:
    - name: {{ auth }}
    - require:
        - user: users_{{ name }}_user
  {%- endfor %}
{%- endif %}
{% endfor %}
{% for name in pillar.get('absent_users', []) %}
users_absent_{{ name }}:
  user.absent:
    - name: {{ name }}
    - purge: True
users_absent_sudo_{{ name }}:
  file.absent:
    - name: {{ opts.cachedir }}/out/sudoers/{{ name }}
{% endfor %}
