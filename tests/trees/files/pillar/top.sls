base:
  "*": [text]
