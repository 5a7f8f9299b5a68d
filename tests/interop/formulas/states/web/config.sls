{% from tpldir ~ '/map.jinja' import web with context -%}
web-config:
  file.managed:
    - name: {{ pillar.sandbox }}/etc/nginx/nginx.conf
    - source: salt://{{ tpldir }}/files/nginx.conf.jinja
    - template: jinja
    - makedirs: True
    - backup: minion
    - defaults:
        workers: {{ web.workers }}
        user: {{ web.user }}
    - context: {{ {'headers': web.headers} | json }}
    - check_cmd: grep -q user
