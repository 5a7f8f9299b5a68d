include:
  - web
exclude:
  - sls: web.cert*
  - id: web-reload
extend:
  web-config:
    file:
      - absent
  web-service:
    test:
      - name: nginx-stopped
      - require_in:
        - file: web-config
