include:
  - lib.directories
  - .motd
  - .users
  - .profile

common-done:
  test.succeed_without_changes:
    - order: last
    - require:
      - sls: common.motd
      - sls: common.profile
