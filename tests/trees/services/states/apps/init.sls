{% set apps = salt['pillar.get']('apps', {}) %}
{% for name, app in apps.items() %}
{% set dir = opts['cachedir'] ~ '/out/' ~ name %}
{{ name }}-dir:
  file.directory:
    - name: {{ dir }}
    - makedirs: true
{{ name }}-env:
  file.managed:
    - name: {{ dir }}/env
    - contents: {{ salt['slsutil.serialize']('keyvalue', app.get('env', {}), separator='=') | json if false else app.get('env', {}) | json | yaml_squote }}
    - require: [{file: {{ name }}-dir}]
    - watch_in: [{cmd: {{ name }}-restart}]
{{ name }}-unit:
  file.managed:
    - name: {{ dir }}/{{ name }}.service
    - template: jinja
    - contents: |
        [Service]
        {% raw %}{% for k, v in pillar.apps.items() %}# {{ k }}={{ v.port }}
        {% endfor %}{% endraw %}
        Environment=PORT={{ app.port }}
    - watch_in: [{cmd: {{ name }}-reload}]
{{ name }}-reload:
  cmd.run:
    - name: echo reload {{ name }}
    - onchanges: [{file: {{ name }}-unit}]
{{ name }}-restart:
  cmd.wait:
    - name: echo restart {{ name }}
    - require: [{cmd: {{ name }}-reload}]
{% endfor %}
{% if not apps %}
none: {test.fail_without_changes: []}
{% endif %}
