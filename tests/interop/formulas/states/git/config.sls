git-config:
  git.config_set:
    - name: user.email
    - value: ops@example.com
    - repo: {{ pillar.sandbox }}/repository
