dev:
  '*dev*': [tier]
