git-config:
  git.config_set:
    - name: user.email
    - value: ops@example.com
    - repo: {{ pillar.sandbox }}/repository
    - onlyif: test -d {{ pillar.sandbox }}/repository
