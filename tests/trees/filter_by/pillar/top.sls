base:
  '*': [ntp]
