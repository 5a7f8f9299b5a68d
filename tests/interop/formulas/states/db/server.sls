{% from 'db/map.jinja' import db, data with context %}
db-data:
  file.directory:
    - name: {{ data }}/{{ db.version }}
    - mode: '0700'
    - makedirs: True
    - failhard: True
db-options:
  file.managed:
    - name: {{ data }}/{{ db.version }}/server.conf
    - contents: {{ (db.options | dictsort | map('join', ' = ') | list) | json }}
    - require: [{file: db-data}]
    - watch_in: [{test: db-server}]
db-server: {test.nop: [{name: 'postgresql@{{ db.version }}'}]}
