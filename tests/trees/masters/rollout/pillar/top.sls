base:
  'db*': [db]
