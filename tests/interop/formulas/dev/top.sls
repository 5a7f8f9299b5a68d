dev:
  '*':
    - ignored
