demo:
  map_jinja:
    sources:
      - Y:G@osarch
      - Y:G@os_family
      - C@demo
      - I:G@roles
      - Y:I@demo:kind
      - Y:G@id
  kind: big
  options:
    peers: [c]
