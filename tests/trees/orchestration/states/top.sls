base:
  '* and not G@roles:master':
    - match: compound
    - release
  'roles:master':
    - match: grain
    - release.check
