include: [three]
app:
  list: [c]
  limits: {mem: 4, disk: {root: 10}}
  text: |
    two lines
      kept
  folded: >-
    one
    line
