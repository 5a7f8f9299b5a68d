base:
  '*':
    - common
  'roles:web':
    - match: grain
    - web
  'E@^db\d':
    - match: compound
    - db
dev:
  'env:dev':
    - match: grain
    - tier
