rendered:
  file.managed:
    - name: {{ pillar['dir'] }}/templated
    - source: salt://template.py
    - template: py
    - context:
        word: given
    - defaults:
        other: default
