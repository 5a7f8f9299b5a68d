formula-grains:
  grains.present:
    - name: formulas
    - value: {{ pillar.get('formulas', ['a', 'b']) | json }}
    - force: True
formula-grain-list:
  grains.list_present:
    - names: [formula_roles, formula_tags]
    - value: [x, y]
    - onchanges:
      - grains: formula-grains
