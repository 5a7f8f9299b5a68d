{%- set tplroot = tpldir.split('/')[0] %}
{%- set sls_users = tplroot ~ '.users' %}
{%- from tplroot ~ "/map.jinja" import demo with context %}

demo-config-file:
  file.managed:
    - name: {{ opts.cachedir }}/out/demo.conf
    - source: salt://{{ tplroot }}/files/demo.conf.jinja
    - template: jinja
    - makedirs: True
    - mode: '0640'
    - context:
        demo: {{ demo | json }}
        sls: {{ sls }}
    - require:
      - sls: {{ sls_users }}

demo-map-dump:
  file.serialize:
    - name: {{ opts.cachedir }}/out/map.json
    - dataset: {{ demo | tojson }}
    - formatter: json
    - onchanges:
      - file: demo-config-file
