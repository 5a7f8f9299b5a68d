web-service:
  test.nop:
    - name: nginx
    - onlyif: test -d {{ pillar.sandbox }}
    - watch:
      - file: web-config
web-reload:
  cmd.run:
    - name: echo reload >> {{ pillar.sandbox }}/var/reload.log
    - onchanges_any:
      - file: web-config
      - sls: web.certificates
    - require:
      - sls: lib.directories
