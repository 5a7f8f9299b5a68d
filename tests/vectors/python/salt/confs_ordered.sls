#!stateconf -o yaml . jinja
.a:
  cmd.run:
    - name: echo a
.b:
  cmd.run:
    - name: echo b
    - watch:
      - cmd: .a
