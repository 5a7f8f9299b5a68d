include: [app.deploy]
extend:
  app-current:
    file:
      - target: {{ pillar.sandbox }}/srv/shop/releases/{{ salt['pillar.get']('app:rollback', '1.0.0') }}
      - onchanges_in: []
app-rollback:
  test.nop:
    - prereq_in: [{file: app-current}]
