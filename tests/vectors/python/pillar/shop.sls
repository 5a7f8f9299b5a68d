role: web
tree:
  branch:
    leaf: green
