base:
  '*':
    - shop
    - coded
