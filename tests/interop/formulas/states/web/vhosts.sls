#!jinja|yaml
{% from 'web/map.jinja' import web with context -%}
include:
  - web
{% for name, site in web.sites | dictsort %}
{%- set root = site.get('root', web.root ~ '/' ~ name) %}
web-vhost-{{ name }}:
  file.managed:
    - name: {{ pillar.sandbox }}/etc/nginx/sites/{{ name }}.conf
    - makedirs: True
    - contents: |
        server_name {{ ([name] + site.get('aliases', [])) | join(' ') }};
        root {{ root }};
        {%- if site.tls is defined and site.tls %}
        ssl on;
        {%- endif %}
    - require:
      - file: web-config
    - listen_in:
      - test: web-service
  test.nop:
    - names: {{ [name] + site.get('aliases', []) | sort | unique }}
    - parallel: {{ site.get('parallel', false) }}
{{ root }}:
  file.directory:
    - makedirs: True
    - recurse: [mode]
    - require_in: [{file: web-vhost-{{ name }}}]
{% endfor %}
