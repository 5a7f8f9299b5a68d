p1:
  shoppkg.installed: []
p2:
  shoppkg.installed: []
