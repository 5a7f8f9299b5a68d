demo:
  lookup:
    config: /etc/demo.conf
  strategy: recurse
  options:
    timeout: 30
    peers: [b, a]
  users:
    zoe: {uid: 4, shell: /bin/sh}
    adam: {uid: 7}
