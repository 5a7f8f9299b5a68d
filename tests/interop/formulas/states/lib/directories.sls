{%- set sandbox = pillar['sandbox'] %}
sandbox-directories:
  file.directory:
    - names:
      - {{ sandbox }}
      - {{ sandbox }}/etc
      - {{ sandbox }}/var:
        - mode: '0750'
      - {{ sandbox }}/srv
    - mode: '0755'
    - makedirs: True
    - order: first
