include:
  - .config
  - .users
