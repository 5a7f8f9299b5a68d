base:
  'role:web':
    - match: grain
    - site.web
  'db*':
    - site.db
