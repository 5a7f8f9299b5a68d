{% set release = salt['pillar.get']('release', 2) %}
migrate:
  salt.state:
    - tgt: G@role:db and not web*
    - tgt_type: compound
    - sls: site.db
    - pillar: {db: {migrate: true}}
ask:
  salt.function:
    - name: test.arg
    - tgt: [web1, db1]
    - tgt_type: list
    - arg: [first, 2]
    - kwarg: {release: {{ release }}}
    - require: [{salt: migrate}]
roll-out:
  salt.state:
    - tgt: 'web*'
    - sls: [site.web]
    - pillar: {release: {{ release }}}
    - batch: 1
    - require: [{salt: ask}]
after-roll-out:
  salt.runner:
    - name: test.arg
    - arg: [done]
    - kwarg: {release: {{ release }}}
    - onchanges: [{salt: roll-out}]
roll-back:
  salt.state:
    - tgt: 'web*'
    - sls: site.web
    - pillar: {release: 1}
    - onfail: [{salt: roll-out}]
keys:
  salt.wheel:
    - name: key.list_all
    - require: [{salt: migrate}]
