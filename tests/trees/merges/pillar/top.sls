base:
  '*': [one, two, strategies]
  'db*': [three]
