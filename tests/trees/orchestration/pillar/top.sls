base:
  '*': [release]
  'roles:db': [{match: grain}, db]
