{%- set users = salt['pillar.get']('users', {}) %}
{%- for name, user in users.items() %}
{{ sls }}-{{ name }}-home:
  file.directory:
    - name: {{ pillar.sandbox }}/home/{{ name }}
    - makedirs: True
    - mode: {{ user.get('mode', '0755') | yaml_squote }}
  {%- if pillar.get('system') %}
  user.present:
    - name: {{ name }}
    {%- for key in ['uid', 'shell', 'fullname'] if key in user %}
    - {{ key }}: {{ user[key] | yaml_encode }}
    {%- endfor %}
    - home: {{ pillar.sandbox }}/home/{{ name }}
    - require_in:
      - file: {{ sls }}-{{ name }}-home
  {%- endif %}

  {%- if user.keys is defined %}{% endif %}
  {%- for key, value in user.get('env', {}) | dictsort %}
{{ name }}-env-{{ key }}:
  file.append:
    - name: {{ pillar.sandbox }}/home/{{ name }}/.profile
    - text: export {{ key }}={{ value | quote }}
    - makedirs: true
    - require: [{file: {{ sls }}-{{ name }}-home}]
  {%- endfor %}
{% endfor %}
