base:
  'app*': [apps, secrets.*]
  'app2*': [apps.overrides]
