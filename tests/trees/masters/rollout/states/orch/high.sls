all-of-it:
  salt.state:
    - tgt: '*'
    - highstate: True
every-host:
  salt.function:
    - name: test.ping
    - tgt: '*'
    - require: [{salt: all-of-it}]
