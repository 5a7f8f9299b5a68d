base:
  '*':
    - app
    - late
