include:
  - base: lib.directories
  - .tools_extra

tools-readme:
  file.managed:
    - name: {{ pillar['sandbox'] }}/tools/README
    - contents: |
        Tools of {{ saltenv }} in {{ sls }}.
    - makedirs: True
    - require_in:
      - test: tools-ready
