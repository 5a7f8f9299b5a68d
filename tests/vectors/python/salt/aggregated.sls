p1:
  shoppkg.installed:
    - aggregate: True
p2:
  shoppkg.installed: []
