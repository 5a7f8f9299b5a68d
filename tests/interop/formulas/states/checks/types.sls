check-types:
  test.nop:
    - integer: 5
    - octal: 0755
    - float: 1.50
    - exponent: 1e3
    - boolean: yes
    - nothing: ~
    - date: 2024-02-29
    - time: 12:30:45
    - text: 'it''s'
    - escaped: "tab\there"
    - folded: >
        one
        two

        three
    - literal: |2-
         kept
    - nested: {a: [1, {b: c}], d: {}}
    - unicode: Zürich ☃
    - multi:
        - [1, 2]
        - - 3
          - 4
    - anchor: &x {k: v}
    - alias: *x
    - merged:
        <<: *x
        l: w
