check-names:
  test.nop:
    - names:
      - one
      - two:
        - k: v
        - require: [{test: check-anchor}]
      - one
    - k: default
check-anchor:
  test.nop:
    - name: anchor-name
check-by-name:
  test.nop:
    - require:
      - test: anchor-name
      - id: check-anchor
