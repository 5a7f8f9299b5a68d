{% from "ntp/map.jinja" import ntp, none_there, by_default, picked with context %}
{% set out = opts.cachedir ~ '/out/' %}
ntp-conf:
  file.managed:
    - name: {{ out ~ ntp.conf }}
    - makedirs: True
    - contents: |
        # {{ ntp.service }} {{ none_there }} {{ by_default.x }} {{ picked.kind }}
{%- for server in ntp.servers %}
        server {{ server }} iburst
{%- endfor %}
{%- for key in ntp %}
        # {{ key }}
{%- endfor %}
  test.nop:
    - name: {{ ntp | yaml_dquote }}
    - watch:
      - file: ntp-conf
ntp-lines:
  file.append:
    - name: {{ out ~ ntp.conf }}
    - text: {{ salt['pillar.get']('ntp:server:restrict') | json }}
    - require: [{file: ntp-conf}]
{{ 'ntp-drift-' ~ ntp.drift | replace('/', '_') }}:
  file.directory:
    - name: {{ out }}drift
    - mode: 755
