{%- from 'lib/map.jinja' import settings with context %}
{%- from 'lib/macros.jinja' import ini_file with context %}
{%- set app = settings('app') | load_json %}
app-settings:
  file.serialize:
    - name: {{ pillar.sandbox }}/etc/{{ app.name }}/settings.json
    - dataset: {{ app.settings | json }}
    - serializer: json
    - makedirs: True
    - serializer_opts: [{indent: 2}]
{{ ini_file('app-ini', 'etc/' ~ app.name ~ '/app.ini', {'main': {'workers': app.settings.workers, 'debug': app.settings.debug}, 'db': app.settings.database}) }}
