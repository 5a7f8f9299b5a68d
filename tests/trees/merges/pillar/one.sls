base: &app
  port: 80
  list: [a, b]
  limits: {cpu: 1, mem: 2}
app:
  port: 80
  list: [a, b]
  limits: {cpu: 1, mem: 2}
copy: *app
more:
  <<: *app
  port: 81
numbers: [0o17, 017, 1_000, 0x1f, 1e3, .5, 12:30, yes, Off, ~, 2024-01-02, "017"]
secret: {x: 1}
