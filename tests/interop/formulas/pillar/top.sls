base:
  '*':
    - sandbox
    - web
    - users
