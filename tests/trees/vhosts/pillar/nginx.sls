nginx:
  server:
    worker_processes: 4
    http: {sendfile: 'on', include: [/etc/nginx/mime.types, /etc/nginx/conf.d/*.conf]}
  vhosts:
    default: {enabled: false}
    b.example.com:
      config:
        - server:
          - server_name: b.example.com
          - listen: ['80', '443 ssl']
          - location /:
            - proxy_pass: http://127.0.0.1:8080
    a.example.com:
      config:
        - server:
          - server_name: a.example.com
          - root: /srv/a
          - location ~ \.php$:
            - include: fastcgi.conf
            - location @x: [{return: 404}]
      overlay: true
