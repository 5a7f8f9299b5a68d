ntp:
  lookup:
    service: ntpsec
    servers: [10.0.0.1, 10.0.0.2]
  server:
    key: {{ salt['grains.get']('os_family') }}
    restrict: ['default', '127.0.0.1']
