include: [.config]
git-checkout:
  git.cloned:
    - name: {{ pillar.get('repository', pillar.sandbox ~ '/repository') }}
    - target: {{ pillar.sandbox }}/srv/checkout
    - require: [{git: git-config}]
