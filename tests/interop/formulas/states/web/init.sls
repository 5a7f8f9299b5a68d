{% from tpldir ~ '/map.jinja' import web with context -%}
include:
  - .config
  - .service
  - .certificates

web-package:
  test.succeed_with_changes:
    - name: {{ web.package }}
    - require_in:
      - file: web-config
      - sls: web.certificates
    - watch_in:
      - test: web-service
