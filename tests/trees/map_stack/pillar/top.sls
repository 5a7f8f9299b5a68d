base:
  '*':
    - demo
  'db*':
    - db
