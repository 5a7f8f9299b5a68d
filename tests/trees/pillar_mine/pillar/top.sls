base:
  '*': [common]
  'lb*': [lb]
