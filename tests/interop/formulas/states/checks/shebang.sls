#!yaml
check-shebang:
  test.nop:
    - text: '{{ not a template }}'
