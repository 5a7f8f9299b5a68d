exclude: [{id: base-two}]
late:
  module.run:
    - test.arg:
      - one
      - two: 2
    - test.ping:
    - watch: [{test: notify}]
