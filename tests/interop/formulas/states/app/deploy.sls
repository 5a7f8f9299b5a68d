{%- from 'lib/map.jinja' import settings with context %}
{%- set app = settings('app') | load_json %}
{%- set base = pillar.sandbox ~ '/srv/' ~ app.name %}
{%- for release in app.releases %}
app-release-{{ release }}:
  file.managed:
    - name: {{ base }}/releases/{{ release }}/VERSION
    - contents: {{ release | string | yaml_squote }}
    - makedirs: True
{%- endfor %}
app-current:
  file.symlink:
    - name: {{ base }}/current
    - target: {{ base }}/releases/{{ app.current }}
    - force: True
    - require:
      - file: app-release-*
    - onchanges_in:
      - cmd: app-migrate
app-old-releases:
  file.absent:
    - names:
    {%- for release in app.releases | reject('equalto', app.current) %}
      - {{ base }}/releases/{{ release }}/tmp
    {%- else %}
      - {{ base }}/nothing
    {%- endfor %}
