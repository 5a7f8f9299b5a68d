nginx-service:
  service.running:
    - name: nginx
    - enable: True
    - watch:
      - file: {{ opts.cachedir }}/out/nginx.conf
    - listen:
      - sls: nginx.vhosts
