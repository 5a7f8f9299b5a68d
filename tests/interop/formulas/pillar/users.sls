users:
  ann:
    uid: 4101
    shell: /bin/sh
    fullname: Ann O'Nym
    env: {EDITOR: vi, 'PAGER': less -R}
    keys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExample ann@example.com']
  bob: {mode: '0700'}
