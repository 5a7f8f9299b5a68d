{% from 'lib/macros.jinja' import path with context %}
motd:
  file.managed:
    - name: {{ path('etc/motd') }}
    - source: salt://common/files/motd.jinja
    - template: jinja
    - context:
        id: {{ grains['id'] }}
        roles: {{ salt['grains.get']('roles', []) | json }}
    - mode: 644
    - require:
      - file: sandbox-directories
