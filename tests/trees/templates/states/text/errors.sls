a:
  test.nop:
    - name: {{ salt['no.such']() }}
