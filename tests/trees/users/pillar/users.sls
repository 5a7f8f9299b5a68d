groups:
  brine-admins: {gid: 4711}
  brine-old: {state: absent}
users:
  brine-alice:
    fullname: Alice Ä.
    uid: 4801
    groups: [brine-admins]
    sudo: ['ALL=(ALL) NOPASSWD: ALL', 'ALL=(root) /bin/ls']
    ssh_auth:
      - ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBR1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1 alice@x
    ssh_config:
      all: {hostname: '*', options: ['StrictHostKeyChecking no', 'ServerAliveInterval 60']}
  brine-bob:
    home: /srv/bob
    shell: /bin/zsh
    createhome: False
    password: '$6$x$y'
    enforce_password: false
  brine-carl: {}
absent_users: [brine-dave, root-not]
