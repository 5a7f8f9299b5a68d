{%- set out = opts.cachedir ~ '/out/' ~ salt['config.get']('vhosts_dir', 'sites') %}
{%- set vhosts = salt['pillar.get']('nginx:vhosts', {}) %}
{{ opts.cachedir }}/out/nginx.conf:
  file.managed:
    - source: salt://nginx/files/nginx.conf
    - template: jinja
    - makedirs: True
    - defaults: {config: {{ pillar.nginx.server | json }}, indent: 4}
    - context: {indent: 2}
{% for dir in ('available', 'enabled') %}
nginx-{{ dir }}:
  file.directory:
    - name: {{ out }}/{{ dir }}
    - makedirs: True
{% endfor %}
{% for name, vhost in vhosts.items() %}
{%- set file = out ~ '/available/' ~ name %}
{% if vhost.get('config') %}
nginx-vhost-{{ name }}:
  file.managed:
    - name: {{ file }}
    - source:
      - salt://nginx/files/missing/{{ name }}
      - salt://nginx/files/vhost.conf
    - template: jinja
    - context:
        config: {{ vhost.config | json }}
        name: {{ name }}
    - require:
      - file: nginx-available
{% endif %}
nginx-vhost-{{ name }}-link:
{% if vhost.get('enabled', True) %}
  file.symlink:
    - name: {{ out }}/enabled/{{ name }}
    - target: {{ file }}
    - require: [{file: nginx-vhost-{{ name }}}, {file: nginx-enabled}]
{% else %}
  file.absent:
    - name: {{ out }}/enabled/{{ name }}
{% endif %}
{% if vhost.get('overlay') %}
nginx-vhost-{{ name }}-overlay:
  file.accumulated:
    - name: includes
    - filename: {{ out }}/includes.conf
    - text: include {{ name }};
    - require_in:
      - file: nginx-includes
{% endif %}
{% endfor %}
nginx-includes:
  file.managed:
    - name: {{ out }}/includes.conf
    - template: jinja
    - contents: "{% raw %}{{ accumulator | default({}) | json }}{% endraw %}"
    - watch_in:
      - test: nginx-reload
nginx-reload:
  test.nop:
    - onchanges_any:
{%- for name in vhosts %}
      - file: nginx-vhost-{{ name }}-link
{%- endfor %}
